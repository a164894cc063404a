#if canImport(CLibcurl)
/// The state that determines which requests share the connections of libcurl's own exchanges.
///
/// When libcurl chooses a connection, it does not know the rules for addresses, and before 8.19 it does not compare the
/// credentials of HTTP proxies. Before 7.75, where it also performs exchanges by HTTP/1.1 with TLS, it would perform
/// them on idle connections by HTTP/2. So only requests with the first rule, the first credentials and the first
/// version share connections. Each other request opens a connection of its own. After all connections have been closed,
/// the next request counts as the first.
struct ConnectionReuse {
    private var isByHTTP1: Bool?
    private var addressRule: RequestOptions.Connection.AddressRule??
    private var proxyCredentials: Substring?

    /// Returns whether requests may reuse connections, and keep theirs for other requests.
    ///
    /// - Parameters:
    ///   - options: The options of the requests.
    ///   - proxy: The URL of the proxy, or `nil` if there is none.
    ///   - isByHTTP1: Whether the exchanges are by HTTP/1.1, whatever the server may speak.
    mutating func allows(_ options: RequestOptions.Connection, proxy: String?, isByHTTP1: Bool) -> Bool {
        let firstVersion = self.isByHTTP1 ?? isByHTTP1
        self.isByHTTP1 = firstVersion
        guard firstVersion == isByHTTP1 else { return false }
        let firstRule = addressRule ?? options.allowsAddress
        addressRule = firstRule
        guard let proxy, !CurlTransport.Runtime.current.comparesProxyCredentials else {
            return firstRule == options.allowsAddress
        }
        let credentials = Self.credentials(of: proxy)
        let firstCredentials = proxyCredentials ?? credentials
        proxyCredentials = firstCredentials
        return firstRule == options.allowsAddress && firstCredentials == credentials
    }

    /// Returns whether requests with these options and others may not share connections.
    static func separates(_ options: RequestOptions.Connection) -> Bool {
        if options.allowsAddress != nil { return true }
        guard case .url(let proxy, _) = options.proxy else { return false }
        return !credentials(of: proxy).isEmpty
    }

    /// Returns the part of a proxy's URL that determines the credentials: everything to the last `@`. URLs with an
    /// equal part have equal credentials, however libcurl reads them.
    private static func credentials(of proxy: String) -> Substring {
        proxy.lastIndex(of: "@").map { proxy[...$0] } ?? ""
    }
}
#endif
