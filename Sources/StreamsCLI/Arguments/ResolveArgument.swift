import StreamsHTTP

/// The address of a host and port, instead of a lookup.
struct ResolveArgument: Sendable {
    private let host: String
    private let port: Int
    private let address: IPAddress

    /// Reads the value of `--resolve`: `HOST:PORT:ADDRESS`, where an IPv6 address may be in brackets.
    init(_ argument: String) throws(UsageError) {
        // The plus sign lets an entry of curl's cache expire.
        let entry = argument.hasPrefix("+") ? argument.dropFirst() : argument[...]
        let parts = entry.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        let isWrapped = parts.count == 3 && parts[2].hasPrefix("[") && parts[2].hasSuffix("]")
        guard parts.count == 3, !parts[0].isEmpty, parts[0] != "*", !parts[0].hasPrefix("-"), let port = Int(parts[1]),
            (1...65535).contains(port),
            let address = IPAddress(String(isWrapped ? parts[2].dropFirst().dropLast() : parts[2]))
        else {
            throw UsageError("--resolve needs HOST:PORT:ADDRESS with one address, and \(argument.quoted) is none")
        }
        host = parts[0].lowercased()
        self.port = port
        self.address = address
    }

    /// Adds the address to the options of a connection to this host and port.
    func apply(to request: inout TransportRequest) {
        guard let host = request.url.host, host.lowercased() == self.host else { return }
        let defaultPort = request.url.scheme?.lowercased() == "https" ? 443 : 80
        guard (request.url.port ?? defaultPort) == port else { return }
        request.connection.resolve[host] = address
    }
}
