import CStreams

/// A list of domains under which anyone can register names (<https://publicsuffix.org>).
struct PublicSuffixes: Sendable {
    // Safe because libpsl's list is never changed.
    private struct List: @unchecked Sendable {
        let library: Psl
        let names: OpaquePointer

        init?() {
            guard let library = streams_load_psl()?.pointee, let names = library.latest(nil) else { return nil }
            (self.library, self.names) = (library, names)
        }
    }

    /// The list of the system, read at the first use; ``unknown`` without libpsl.
    static let system = PublicSuffixes(list: List())
    /// The absence of a list.
    static let unknown = PublicSuffixes(list: nil)

    private let list: List?

    /// Returns whether a domain, in lower case and ASCII, is a public suffix. Without a list, each domain counts as
    /// one, so that no cookie reaches a host that has not set it.
    func contains(_ domain: String) -> Bool {
        guard let list else { return true }
        return list.library.isPublicSuffix(list.names, domain) != 0
    }
}
