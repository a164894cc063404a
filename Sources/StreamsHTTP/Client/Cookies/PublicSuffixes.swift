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

    /// Returns the site of a domain, in lower case and ASCII: the registered domain, which all domains below it belong
    /// to. An address and a public suffix are sites of their own.
    ///
    /// Without a list, the last two labels are the site. Below a suffix such as `co.uk`, these are the sites of many, but
    /// no site has several of them.
    func site(of domain: String) -> String {
        guard domain.mayHaveSubdomains else { return domain }
        var site = domain[...]
        while let dot = site.utf8.firstIndex(of: UInt8(ascii: ".")) {
            let parent = site[site.utf8.index(after: dot)...]
            let isSuffix = list == nil ? !parent.utf8.contains(UInt8(ascii: ".")) : contains(String(parent))
            guard !isSuffix else { break }
            site = parent
        }
        return String(site)
    }
}
