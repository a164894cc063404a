/// The state that determines which requests share the connections of libcurl's own exchanges.
///
/// When libcurl chooses a connection, it does not know the rules for addresses, and before 8.19 it does not compare the
/// credentials of HTTP proxies. So only requests with the first rule and the first credentials share connections. Each
/// other request opens a connection of its own. After all connections have been closed, the next request counts as the
/// first.
struct ConnectionReuse {
    private var addressRule: ConnectionOptions.AddressRule??
    private var proxyCredentials: Substring?

    /// Returns whether requests may reuse connections, and keep theirs for other requests.
    ///
    /// - Parameters:
    ///   - options: The options of the requests.
    ///   - proxy: The URL of the proxy, or `nil` if there is none.
    mutating func allows(_ options: ConnectionOptions, proxy: String?) -> Bool {
        let firstRule = addressRule ?? options.allowsAddress
        addressRule = firstRule
        guard let proxy, !CurlRuntime.current.comparesProxyCredentials else {
            return firstRule == options.allowsAddress
        }
        let credentials = Self.credentials(of: proxy)
        let firstCredentials = proxyCredentials ?? credentials
        proxyCredentials = firstCredentials
        return firstRule == options.allowsAddress && firstCredentials == credentials
    }

    /// Returns whether requests with these options and others may not share connections.
    static func separates(_ options: ConnectionOptions) -> Bool {
        if options.allowsAddress != nil { return true }
        guard case .url(let proxy, _) = options.proxy else { return false }
        return !credentials(of: proxy).isEmpty
    }

    /// Returns the part of a proxy's URL that determines the credentials: everything to the last `@`. URLs with an equal
    /// part have equal credentials, however libcurl reads them.
    private static func credentials(of proxy: String) -> Substring {
        proxy.lastIndex(of: "@").map { proxy[...$0] } ?? ""
    }
}
