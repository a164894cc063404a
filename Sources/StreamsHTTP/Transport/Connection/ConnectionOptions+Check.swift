import CLibcurl

extension ConnectionOptions {
    /// Throws an error for an option that libcurl would ignore, cut or report as another failure.
    ///
    /// - Parameter proxy: The URL of the proxy, of the options or the environment; `nil` for none.
    func check(proxy: String?) throws(TransportFailure) {
        if let problem = problem(ofProxy: proxy) ?? problemOfFiles ?? problemOfUnixSocket {
            throw TransportFailure(.invalidRequest(.connectionOption(problem)))
        }
    }

    private var problemOfUnixSocket: String? {
        guard let path = unixSocketPath else { return nil }
        if path.isEmpty { return "the path of the unix-domain socket is empty" }
        if path.utf8.contains(0) { return "the path of the unix-domain socket has a NUL" }
        // The system's structure has room for the path and a NUL.
        let limit = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        return path.utf8.count > limit ? "the path of the unix-domain socket has more than \(limit) bytes" : nil
    }

    private var problemOfFiles: String? {
        var texts: [(name: String, text: String?)] = [
            ("the path of the client certificate", clientCertificate?.certificatePath),
            ("the path of the client certificate's key", clientCertificate?.keyPath),
            ("the password of the client certificate's key", clientCertificate?.password),
        ]
        if case .file(let path) = trustRoots { texts.append(("the path of the trust roots", path)) }
        return texts.first { $0.text?.utf8.contains(0) ?? false }.map { "\($0.name) has a NUL" }
    }

    private func problem(ofProxy url: String?) -> String? {
        if let url, let problem = ProxyURL.problem(of: url) { return problem }
        guard case .url(_, let exceptions) = proxy, exceptions.contains(where: { !$0.isFieldValue }) else { return nil }
        return "a host that is excepted from the proxy has a control character"
    }
}

/// The URL of a proxy, as libcurl's own parser reads it.
private enum ProxyURL {
    private static let schemes: Set<String> = ["http", "https", "socks", "socks4", "socks4a", "socks5", "socks5h"]

    /// Returns a description of the problem, without credentials, of a URL that libcurl cannot use; `nil` if it can.
    ///
    /// libcurl does not use a proxy whose user information it cannot decode, and connects to the server itself.
    static func problem(of text: String) -> String? {
        guard !text.isEmpty else { return "the URL of the proxy is empty" }
        // libcurl reads the text only to a NUL.
        guard text.isFieldValue, let url = curl_url() else { return "the URL of the proxy has a control character" }
        defer { curl_url_cleanup(url) }
        let flags = CurlURLAnyScheme.rawValue | CurlURLGuessScheme.rawValue
        guard text.withCString({ curl_url_set(url, CurlURLWhole, $0, flags) }) == 0,
            let host = component(CurlURLHost, of: url).text, !host.isEmpty,
            let scheme = component(CurlURLScheme, of: url).text
        else { return "the URL of the proxy is malformed" }
        guard schemes.contains(scheme.lowercased()) else { return "no proxy has the scheme \(scheme.printable)" }
        guard host.utf8.allAre({ 0x20 < $0 && $0 < 0x7F }) else {
            return "the host of the proxy has a character outside of ASCII"
        }
        let user = component(CurlURLUser, of: url)
        let password = component(CurlURLPassword, of: url)
        let isDecodable =
            (user.text != nil || user.code == CurlURLNoUser.rawValue)
            && (password.text != nil || password.code == CurlURLNoPassword.rawValue)
        return isDecodable ? nil : "the user information of the proxy has an encoded control character"
    }

    /// Returns a component of a URL, percent-decoded; `nil` and libcurl's code if it is missing or cannot be decoded.
    private static func component(_ part: CurlURLPart, of url: OpaquePointer) -> (text: String?, code: UInt32) {
        var text: UnsafeMutablePointer<CChar>?
        let code = curl_url_get(url, part, &text, CurlURLDecode.rawValue)
        defer { curl_free(text) }
        return (code == 0 ? text.map { String(cString: $0) } : nil, UInt32(bitPattern: code))
    }
}
