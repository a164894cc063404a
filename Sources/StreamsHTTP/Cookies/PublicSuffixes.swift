import CStreams

/// The list of domains under which anyone can register names (<https://publicsuffix.org>), as the system has it.
enum PublicSuffixes {
    private struct List {
        let library: Psl
        let names: OpaquePointer
    }

    // Safe because it is never changed.
    nonisolated(unsafe) private static let list: List? = {
        guard let library = streams_load_psl()?.pointee, let names = library.latest(nil) else { return nil }
        return List(library: library, names: names)
    }()

    /// Reads the list, so that no later call has to.
    static func load() { _ = list }

    /// Returns whether a domain, in lower case and ASCII, is a public suffix. Without the list, each domain counts as
    /// one, so that no cookie reaches a host that has not set it.
    static func contains(_ domain: String) -> Bool {
        guard let list else { return true }
        return list.library.isPublicSuffix(list.names, domain) != 0
    }
}
