/// The way to the server of a request: direct, through a tunnel, or by a proxy that is sent the requests themselves.
///
/// The proxy is found out here, and not by libcurl, so that a connection is only ever used for its own route.
struct Route: Hashable {
    /// The URL of the proxy, as the options or the environment have it now; `nil` without a proxy.
    let proxyURL: String?
    /// The other end of connections: the server's origin, or the URL of a proxy that is sent the requests.
    let destination: String
    /// The form of the targets of requests.
    let targetForm: RequestHead.TargetForm
    /// Whether libcurl encrypts and decrypts what is sent.
    let isEncrypted: Bool

    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The origin of its URL, if it is known.
    init(_ request: TransportRequest, origin: String? = nil) {
        proxyURL = request.proxyURL
        let proxy = proxyURL.flatMap { try? ProxyURL($0) }
        isEncrypted = request.isSecure || proxy?.isEncrypted ?? false
        if let proxyURL, let proxy, proxy.speaksHTTP, !request.isSecure, !request.isResolved {
            destination = proxyURL
            targetForm = .absolute(authorization: proxy.authorization)
        } else {
            destination = origin ?? request.lazyURL.origin
            targetForm = .origin
        }
    }
}

extension TransportRequest {
    /// Whether the URL is one of https.
    var isSecure: Bool { lazyURL.isSecure }

    /// Whether the options have the address of the host. libcurl then asks a proxy for a tunnel to it.
    fileprivate var isResolved: Bool {
        guard !connection.resolve.isEmpty else { return false }
        let host = String(lazyURL.hostName)
        return connection.resolve.keys.contains { name in
            (try? URLAuthority.name(name[...]))?.isEqualIgnoringASCIICase(to: host) ?? false
        }
    }

    fileprivate var proxyURL: String? {
        // A unix-domain socket is on this machine.
        guard connection.unixSocketPath == nil else { return nil }
        switch connection.proxy {
        case .none: return nil
        case .url(let url, let exceptions): return ProxyExceptions(exceptions).contains(lazyURL.hostName) ? nil : url
        case .environment: return environmentProxyURL
        }
    }

    /// The proxy that libcurl would find in the environment. `HTTP_PROXY` is not read, since it comes from a header
    /// field in CGI programs.
    private var environmentProxyURL: String? {
        let own =
            isSecure
            ? Self.environment("https_proxy") ?? Self.environment("HTTPS_PROXY") : Self.environment("http_proxy")
        guard let url = own ?? Self.environment("all_proxy") ?? Self.environment("ALL_PROXY") else { return nil }
        let exceptions = ProxyExceptions(list: Self.environment("no_proxy") ?? Self.environment("NO_PROXY") ?? "")
        return exceptions.contains(lazyURL.hostName) ? nil : url
    }

    /// Returns a variable, unless it is empty.
    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
