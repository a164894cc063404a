import CLibcurl

/// Makes a handle ready. Every code that libcurl answers is looked at.
struct CurlConfiguration {
    /// How many bytes of decoded content libcurl holds back for a transfer; it fails at more.
    static let backlogLimit = 64 * 1024 * 1024

    /// How many bytes of a paced body are read at once. What a read inflates to, up to 1032 times as much in gzip, libcurl
    /// holds back whole while the transfer is paused, and fails at 64 MiB: 60 KiB stay below that. It cannot be changed
    /// when the head says whether the body is encoded: before 8.7, libcurl refuses that or moves the buffer it reads into.
    /// Larger reads are no faster.
    private static let pacedReadSize = 60 * 1024

    let easy: OpaquePointer

    /// Sets what requests of a profile have in common.
    ///
    /// - Parameter maxIdleTime: How long a connection nobody uses may be taken for use again.
    func apply(_ profile: CurlProfile, maxIdleTime: Duration) throws(TransportFailure) {
        try set(CurlOptionNoSignal, 1)
        try set(CurlOptionProtocols, Int(CurlProtocolHTTP.rawValue | CurlProtocolHTTPS.rawValue))
        // Paths go as they were written (RFC 3986 leaves their normalisation to whoever wants it).
        try set(CurlOptionPathAsIs, 1)
        try setMethod(profile)
        try setBuffers(profile)
        // Its own timeouts would wait for a resolver that is busy, and all transfers with it: the loop keeps them.
        try set(CurlOptionConnectTimeoutMilliseconds, Int(Int32.max))
        try setVersion(profile)
        try setConnection(profile.connection)
        if let codings = CurlCodings.asked(for: profile) { try set(CurlOptionAcceptEncoding, codings) }
        try setProxy(profile.connection.proxy)
        // Whole seconds, and at least one: none would be no limit.
        try set(CurlOptionMaxIdleTime, max((maxIdleTime.milliseconds + 999) / 1000, 1))
    }

    /// Sets what is one request's own.
    ///
    /// - Parameters:
    ///   - headers: The header lines, which must live as long as the request.
    ///   - errorText: Where libcurl says what went wrong, which must live as long, too.
    ///   - context: What the callbacks get.
    func begin(
        _ request: TransportRequest, _ headers: CurlHeaderList, errorText: UnsafeMutablePointer<CChar>,
        context: UnsafeMutableRawPointer
    ) throws(TransportFailure) {
        try check(streams_curl_set_callbacks(easy, &CurlTransfer.callbacks, context))
        try set(CurlOptionPrivate, context)
        try set(CurlOptionErrorBuffer, errorText)
        try set(CurlOptionURL, request.url.absoluteString)
        try check(streams_curl_set_pointer(easy, CurlOptionHeaderList, headers.first))
    }

    /// Has the handle forget what was one request's own.
    func end() {
        _ = streams_curl_set_pointer(easy, CurlOptionErrorBuffer, nil)
        _ = streams_curl_set_pointer(easy, CurlOptionHeaderList, nil)
    }

    private func setMethod(_ profile: CurlProfile) throws(TransportFailure) {
        if profile.method == .head {
            try set(CurlOptionNoBody, 1)
        } else {
            try set(CurlOptionCustomRequest, profile.method.rawValue)
        }
        if let bodyLength = profile.bodyLength {
            try set(CurlOptionUpload, 1)
            try check(streams_curl_set_offset(easy, CurlOptionBodyLength, bodyLength))
        }
    }

    /// Large buffers where much is to be moved: they are a transfer's largest piece of memory, and most are small.
    private func setBuffers(_ profile: CurlProfile) throws(TransportFailure) {
        if profile.isPaced { try set(CurlOptionBufferSize, Self.pacedReadSize) }
        let bodyLength = profile.bodyLength ?? 0
        if bodyLength < 0 || bodyLength > 1024 * 1024 {
            try set(CurlOptionUploadBufferSize, 256 * 1024)
        } else if bodyLength <= 16 * 1024 {
            // The least there can be. Over TLS heads go through it too, also those of requests without a body.
            try set(CurlOptionUploadBufferSize, 16 * 1024)
        }
    }

    private func setVersion(_ profile: CurlProfile) throws(TransportFailure) {
        switch profile.connection.protocolPolicy {
        // A paused stream of HTTP/2 goes on filling its window, 32 MiB in libcurl, while others use the connection.
        case .automatic where profile.isPaced, .http1:
            try set(CurlOptionHTTPVersion, Int(CurlHTTPVersion1_1.rawValue))
        case .automatic:
            try set(CurlOptionHTTPVersion, Int(CurlHTTPVersion2OverTLS.rawValue))
            // Over clear text it would wait for a connection that cannot be shared, for as long as that is in use.
            if profile.isSecure { try set(CurlOptionWaitForMultiplexing, 1) }
        case .http2:
            let version = profile.isSecure ? CurlHTTPVersion2OverTLS : CurlHTTPVersion2AtOnce
            try set(CurlOptionHTTPVersion, Int(version.rawValue))
            if profile.isSecure {
                try set(CurlOptionWaitForMultiplexing, 1)
            } else {
                // 7.88 fails every request but the first on a connection whose HTTP/2 was not negotiated.
                try set(CurlOptionFreshConnection, 1)
                try set(CurlOptionForbidReuse, 1)
            }
        }
    }

    private func setConnection(_ options: ConnectionOptions) throws(TransportFailure) {
        switch options.trustRoots {
        case .system:
            break
        case .file(let path):
            try set(CurlOptionTrustFile, path)
            // The directory of the system's authorities would be trusted besides.
            try check(streams_curl_set_string(easy, CurlOptionTrustPath, nil))
        case .anyone:
            try set(CurlOptionVerifyPeer, 0)
            try set(CurlOptionVerifyHost, 0)
        }
        if let certificate = options.clientCertificate {
            try set(CurlOptionCertificateFile, certificate.certificatePath)
            try set(CurlOptionKeyFile, certificate.keyPath)
            if let password = certificate.password { try set(CurlOptionKeyPassword, password) }
        }
        if let path = options.unixSocketPath { try set(CurlOptionUnixSocketPath, path) }
        try set(CurlOptionTCPKeepAlive, 1)
    }

    private func setProxy(_ proxy: ConnectionOptions.Proxy) throws(TransportFailure) {
        // What a proxy answers to the wish for a tunnel is not the response.
        try set(CurlOptionSuppressConnectHeaders, 1)
        switch proxy {
        case .environment where Self.environmentNamesProxies:
            break
        case .environment, .none:
            // Otherwise libcurl would go through the environment for each request.
            try set(CurlOptionNoProxy, "*")
        case .url(let url, let exceptions):
            try set(CurlOptionProxy, url)
            try set(CurlOptionNoProxy, exceptions.joined(separator: ","))
        }
    }

    private static var environmentNamesProxies: Bool {
        let names: [String] = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        return names.contains { getenv($0) != nil }
    }

    private func set(_ option: CurlOption, _ value: Int) throws(TransportFailure) {
        try check(streams_curl_set_long(easy, option, value))
    }

    private func set(_ option: CurlOption, _ value: String) throws(TransportFailure) {
        // A string handed over as it is would be copied first.
        try check(value.withCString { streams_curl_set_string(easy, option, $0) })
    }

    private func set(_ option: CurlOption, _ value: UnsafeMutableRawPointer) throws(TransportFailure) {
        try check(streams_curl_set_pointer(easy, option, value))
    }

    private func check(_ code: CInt) throws(TransportFailure) {
        if code != 0 { throw TransportFailure(curl: code) }
    }
}
