/// The hosts that are reached without a proxy, as libcurl reads the environment's `no_proxy`.
///
/// Each is a name, which includes its subdomains; an address; a block of addresses such as `10.0.0.0/8`; or `*` alone for
/// all hosts.
struct ProxyExceptions {
    private let entries: [Substring]

    /// - Parameter list: Entries between commas or blanks.
    init(list: String) {
        entries = list.split { $0 == "," || $0 == " " || $0 == "\t" }
    }

    /// - Parameter hosts: Entries, with names of any script.
    init(_ hosts: [String]) {
        self.init(list: hosts.map { (try? URLAuthority.name($0[...])) ?? $0 }.joined(separator: ","))
    }

    /// Returns whether a host is reached without a proxy.
    ///
    /// - Parameter host: The name or address of a URL, without brackets and zone.
    func contains(_ host: some StringProtocol) -> Bool {
        guard !entries.isEmpty else { return false }
        if entries == ["*"] { return true }
        if let address = IPAddress(String(host)) { return entries.contains { Self.contains($0, address) } }
        let name = Self.withoutDot(host.lowercased()[...])
        return entries.contains { Self.contains($0, name) }
    }

    private static func contains(_ entry: Substring, _ name: Substring) -> Bool {
        let domain = withoutDot(entry.lowercased()[...]).drop { $0 == "." }
        return !domain.isEmpty && (name == domain || name.hasSuffix(".\(domain)"))
    }

    private static func contains(_ entry: Substring, _ address: IPAddress) -> Bool {
        let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let prefix = IPAddress(String(parts[0])), prefix.isIPv6 == address.isIPv6 else { return false }
        guard parts.count > 1 else { return prefix == address }
        return parts[1].decimalNumber.map { address.hasPrefix(of: prefix, length: $0) } ?? false
    }

    /// Returns a name without the dot that ends a fully qualified one.
    private static func withoutDot(_ name: Substring) -> Substring {
        name.hasSuffix(".") ? name.dropLast() : name
    }
}
