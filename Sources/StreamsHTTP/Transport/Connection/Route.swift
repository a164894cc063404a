#if canImport(CLibcurl)
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

    /// Creates the route of a request, the origin of whose URL may be known already.
    init(_ request: TransportRequest, origin: String? = nil) {
        proxyURL = request.proxyURL
        let proxy = proxyURL.flatMap { try? ProxyURL($0) }
        isEncrypted = request.isSecure || proxy?.isEncrypted ?? false
        if let proxyURL, let proxy, proxy.speaksHTTP, !request.isSecure, !request.needsTunnel {
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

    /// Whether a proxy is asked for a tunnel: messages of another protocol than the proxy's are sent, or the options have
    /// the address of the host, for which libcurl asks for one.
    fileprivate var needsTunnel: Bool { isUpgrade || connection.protocolPolicy == .http2 || isResolved }

    /// Whether the options have the address of the host.
    private var isResolved: Bool {
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
            ? FieldText(environment: "https_proxy") ?? FieldText(environment: "HTTPS_PROXY")
            : FieldText(environment: "http_proxy")
        guard let url = own ?? FieldText(environment: "all_proxy") ?? FieldText(environment: "ALL_PROXY") else {
            return nil
        }
        let exceptions = FieldText(environment: "no_proxy") ?? FieldText(environment: "NO_PROXY") ?? ""
        return ProxyExceptions(list: exceptions.string).contains(lazyURL.hostName) ? nil : url.urlText
    }
}

/// The hosts that are reached without a proxy, as libcurl reads the environment's `no_proxy`.
///
/// Each is a name, which includes its subdomains; an address; a block of addresses such as `10.0.0.0/8`; or `*` alone
/// for all hosts.
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
#endif
