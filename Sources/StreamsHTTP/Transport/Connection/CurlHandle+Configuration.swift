#if canImport(CLibcurl)
import CLibcurl

extension CurlHandle {
    /// The number of bytes per read of a body with backpressure, which is usually large. Larger reads are not faster.
    private static let backpressureReadSize = 64 * 1024

    /// Sets the options that requests with the same key share.
    func setOptions(_ transport: CurlTransport.Configuration, reusesConnections: Bool) throws(TransportFailure) {
        try CurlTransport.Runtime.current.check(key)
        try set(CurlOptionNoSignal, 1)
        try set(CurlOptionProtocols, Int(CurlProtocolHTTP.rawValue | CurlProtocolHTTPS.rawValue))
        // A path is sent unchanged (RFC 3986 leaves its normalisation to the application).
        try set(CurlOptionPathAsIs, 1)
        if key.opensConnection {
            try set(CurlOptionConnectOnly, 1)
            // Nothing is received by it.
            try set(CurlOptionBufferSize, 1024)
        } else {
            try setMethod()
            try setBuffers()
        }
        // libcurl's timeouts would wait for a busy resolver, and block all transfers: the loop implements timeouts.
        try set(CurlOptionConnectTimeoutMilliseconds, Int(Int32.max))
        try setVersion()
        try setConnection(key.connection)
        try setTLS(reusesConnections: reusesConnections)
        try setProxy(key.proxyURL)
        if key.opensTunnel { try set(CurlOptionProxyTunnel, 1) }
        try setLifetimes(transport)
        if !reusesConnections { try forbidReuse() }
    }

    /// Sets the callbacks, which are the same for all requests, and the buffer for descriptions of failures.
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

    /// Sets the options of one request.
    ///
    /// - Parameter headers: The header lines, which must live until ``end()``.
    func begin(_ request: TransportRequest, _ headers: CurlHeaderList? = nil) throws(TransportFailure) {
        try set(CurlOptionURL, request.lazyURL.text)
        if let headers { try check(streams_curl_set_pointer(easy, CurlOptionHeaderList, headers.first)) }
        if request.requiresNewConnection { try requireNewConnection() }
    }

    /// Prevents the next transfer from using a connection that another one has used.
    func requireNewConnection() throws(TransportFailure) {
        try set(CurlOptionFreshConnection, 1)
    }

    /// Keeps other transfers from using the connection of this one.
    func closeConnectionAfterwards() throws(TransportFailure) {
        try set(CurlOptionForbidReuse, 1)
    }

    /// Removes the options of one request that refer to its memory.
    func end() {
        _ = streams_curl_set_pointer(easy, CurlOptionHeaderList, nil)
    }

    private func setMethod() throws(TransportFailure) {
        if key.method == .head {
            try set(CurlOptionNoBody, 1)
        } else {
            try set(CurlOptionCustomRequest, key.method.rawValue)
        }
        if let bodyLength = key.bodyLength {
            try set(CurlOptionUpload, 1)
            try check(streams_curl_set_offset(easy, CurlOptionBodyLength, bodyLength))
        }
    }

    /// Sets large buffers only for large bodies: buffers are most of a transfer's memory.
    private func setBuffers() throws(TransportFailure) {
        if key.usesBackpressure { try set(CurlOptionBufferSize, Self.backpressureReadSize) }
        let bodyLength = key.bodyLength ?? 0
        if bodyLength < 0 || bodyLength > 1024 * 1024 {
            try set(CurlOptionUploadBufferSize, 256 * 1024)
        } else if bodyLength <= 16 * 1024 {
            // The smallest size that libcurl accepts. Over TLS, heads pass through this buffer too, even without a
            // body.
            try set(CurlOptionUploadBufferSize, 16 * 1024)
        }
    }

    private func setVersion() throws(TransportFailure) {
        if key.isByHTTP1 {
            try set(CurlOptionHTTPVersion, Int(CurlHTTPVersion1_1.rawValue))
        } else if key.isSecure {
            try set(CurlOptionHTTPVersion, Int(CurlHTTPVersion2OverTLS.rawValue))
            try set(CurlOptionWaitForMultiplexing, 1)
        } else {
            try set(CurlOptionHTTPVersion, Int(CurlHTTPVersion2AtOnce.rawValue))
            // libcurl 7.88 fails all requests but the first on a connection whose HTTP/2 was not negotiated.
            try forbidReuse()
        }
    }

    /// Makes each request use a connection of its own, which is closed afterwards.
    private func forbidReuse() throws(TransportFailure) {
        try set(CurlOptionFreshConnection, 1)
        try set(CurlOptionForbidReuse, 1)
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

    private func setTLS(reusesConnections: Bool) throws(TransportFailure) {
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
        // TLS 1.3 is the maximum without a setting, too. Only connections with equal settings are shared, so a request
        // never joins the HTTP/2 connection of another one that has its connection alone.
        try set(CurlOptionSSLVersion, reusesConnections ? minimum : minimum | Int(CurlTLSVersionMax1_3))
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

    private func setLifetimes(_ transport: CurlTransport.Configuration) throws(TransportFailure) {
        // At least a second: zero would mean no limit.
        try set(CurlOptionMaxIdleTime, max(transport.maxIdleTime.wholeSeconds, 1))
        if CurlTransport.Runtime.current.limitsConnectionAge, let age = transport.maxConnectionAge {
            try set(CurlOptionMaxConnectionAge, max(age.wholeSeconds, 1))
        }
        if CurlTransport.Runtime.current.cachesTrustRoots {
            try set(CurlOptionTrustCacheTimeout, transport.maxTrustRootsAge?.wholeSeconds ?? -1)
        }
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
