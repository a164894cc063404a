extension RequestOptions.Connection {
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
        do throws(ProxyURL.Problem) {
            if let url { _ = try ProxyURL(url) }
        } catch {
            return error.description
        }
        guard case .url(_, let exceptions) = proxy, exceptions.contains(where: { !$0.isFieldValue }) else { return nil }
        return "a host that is excepted from the proxy has a control character"
    }
}
