#if canImport(CLibcurl)
import CLibcurl

extension CurlHandle {
    /// Sets the options that openings with the same key share.
    func setOptions(_ transport: CurlTransport.Configuration) throws(TransportFailure) {
        try CurlTransport.Runtime.current.check(key)
        try set(CurlOptionNoSignal, 1)
        try set(CurlOptionProtocols, Int(CurlProtocolHTTP.rawValue | CurlProtocolHTTPS.rawValue))
        try set(CurlOptionConnectOnly, 1)
        // libcurl's timeouts would wait for a busy resolver, and block the loop, which implements timeouts.
        try set(CurlOptionConnectTimeoutMilliseconds, Int(Int32.max))
        // Also for HTTP/2, which is offered without libcurl.
        try set(CurlOptionHTTPVersion, Int(CurlHTTPVersion1_1.rawValue))
        try setConnection(key.connection)
        try setTLS()
        try setProxy(key.proxyURL)
        if key.opensTunnel { try set(CurlOptionProxyTunnel, 1) }
        if CurlTransport.Runtime.current.cachesTrustRoots {
            try set(CurlOptionTrustCacheTimeout, transport.maxTrustRootsAge?.wholeSeconds ?? -1)
        }
    }

    /// Sets the callbacks, which are the same for all openings, and the buffer for descriptions of failures.
    func setCallbacks() throws(TransportFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(streams_curl_set_callbacks(easy, &Self.callbacks, context))
        if CurlTransport.Runtime.current.announcesConnections {
            try check(streams_curl_set_connected_callback(easy, &Self.callbacks, context))
        } else {
            try check(streams_curl_set_progress_callback(easy, &Self.callbacks, context))
        }
        try set(CurlOptionPrivate, context)
        try set(CurlOptionErrorBuffer, errorText)
    }

    /// Sets the URL of one request.
    func begin(_ request: TransportRequest) throws(TransportFailure) {
        try set(CurlOptionURL, request.lazyURL.text)
    }

    private func setConnection(_ options: RequestOptions.Connection) throws(TransportFailure) {
        switch options.trustRoots {
        case .system:
            break
        case .file(let path):
            // Otherwise the directory of the system's authorities would be trusted too.
            try trustOnly(path, CurlOptionTrustFile, CurlOptionTrustPath)
        case .insecureAcceptAny:
            try set(CurlOptionVerifyPeer, 0)
            try set(CurlOptionVerifyHost, 0)
        }
        if let certificate = options.clientCertificate {
            try set(CurlOptionCertificateFile, certificate.certificatePath)
            try set(CurlOptionKeyFile, certificate.keyPath)
            if let password = certificate.password { try set(CurlOptionKeyPassword, password) }
        }
        switch options.addressFamily {
        case .any: break
        case .ipv4: try set(CurlOptionAddressFamily, Int(CurlAddressFamilyIPv4.rawValue))
        case .ipv6: try set(CurlOptionAddressFamily, Int(CurlAddressFamilyIPv6.rawValue))
        }
        if let path = options.unixSocketPath { try set(CurlOptionUnixSocketPath, path) }
        try set(CurlOptionTCPKeepAlive, 1)
    }

    private func setTLS() throws(TransportFailure) {
        let minimum = key.connection.minimumTLSVersion.number
        if key.proxyURL != nil, CurlTransport.Runtime.current.features.contains(.tls) {
            try set(CurlOptionProxySSLVersion, minimum)
            if let file = SystemTrustRoots.file {
                try trustOnly(file, CurlOptionProxyTrustFile, CurlOptionProxyTrustPath)
            }
        }
        guard key.isSecure else { return }
        if key.connection.trustRoots == .system, let file = SystemTrustRoots.file {
            try trustOnly(file, CurlOptionTrustFile, CurlOptionTrustPath)
        }
        try set(CurlOptionSSLVersion, minimum)
        let pins = key.connection.pinnedPublicKeys
        if !pins.isEmpty {
            try set(CurlOptionPinnedPublicKey, pins.sorted().map { "sha256//\($0)" }.joined(separator: ";"))
        }
    }

    /// Sets a file of certificate authorities, without a directory of further ones.
    private func trustOnly(
        _ file: String, _ fileOption: CurlOption, _ pathOption: CurlOption
    ) throws(TransportFailure) {
        try set(fileOption, file)
        try check(streams_curl_set_string(easy, pathOption, nil))
    }

    /// - Parameter url: The URL of the proxy, or `nil` for none.
    private func setProxy(_ url: String?) throws(TransportFailure) {
        // The head of a proxy's response to CONNECT is not the head of the request's response.
        try set(CurlOptionSuppressConnectHeaders, 1)
        if let url { try set(CurlOptionProxy, url) }
        // Otherwise libcurl would search the environment for each request.
        try set(CurlOptionNoProxy, url == nil ? "*" : "")
    }

    private func set(_ option: CurlOption, _ value: Int) throws(TransportFailure) {
        try check(streams_curl_set_long(easy, option, value))
    }

    private func set(_ option: CurlOption, _ value: String) throws(TransportFailure) {
        // An implicit bridge would copy the string first.
        try check(value.withCString { streams_curl_set_string(easy, option, $0) })
    }

    /// Sets an option to memory that must live as long as the handle.
    func set(_ option: CurlOption, _ value: UnsafeMutableRawPointer) throws(TransportFailure) {
        try check(streams_curl_set_pointer(easy, option, value))
    }

    private func check(_ code: CInt) throws(TransportFailure) {
        if code != 0 { throw TransportFailure(curl: code) }
    }
}

extension RequestOptions.Connection.TLSVersion {
    /// libcurl's number of the version as a minimum.
    fileprivate var number: Int {
        switch self {
        case .tls10: Int(CurlTLSVersion1_0.rawValue)
        case .tls11: Int(CurlTLSVersion1_1.rawValue)
        case .tls12: Int(CurlTLSVersion1_2.rawValue)
        case .tls13: Int(CurlTLSVersion1_3.rawValue)
        }
    }
}

extension Duration {
    /// The duration in seconds, rounded up.
    fileprivate var wholeSeconds: Int { (milliseconds + 999) / 1000 }
}

/// The certificate authorities that libcurl was built with.
///
/// On most systems they are a file and a directory, which contain the same authorities. libcurl keeps the contents of a
/// file in memory, but only if there is no directory. Otherwise it reads the file for each new connection.
enum SystemTrustRoots {
    /// The file that libcurl would read besides a directory; `nil` if it has none, or no directory.
    private static let fileBesideDirectory: String? = {
        guard let info = curl_version_info(0)?.pointee, info.age >= 6, info.trust_path != nil else { return nil }
        return info.trust_file.map { String(cString: $0) }
    }()

    /// The file to read instead of the file and the directory; `nil` if there is none.
    static var file: String? {
        fileBesideDirectory.flatMap { access($0, R_OK) == 0 ? $0 : nil }
    }
}
#endif
