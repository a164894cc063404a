import StreamsHTTP
import StreamsLoopback
import Testing

/// Whose certificates are trusted.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct TLSTests {
    private let client = HTTPClient.alone

    private func status(
        _ url: String, trusting roots: RequestOptions.Connection.TrustRoots
    ) async throws(HTTPError) -> HTTPStatus {
        let request = HTTPRequest(.head, url).settingOptions {
            $0.connection.trustRoots = roots
        }
        return try await client.response(for: request).status
    }

    private func expectUntrusted(
        _ url: String, trusting roots: RequestOptions.Connection.TrustRoots, saying words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let error = try await failure(sourceLocation: sourceLocation) { () async throws(HTTPError) in
            try await status(url, trusting: roots)
        }
        guard case .connection(.untrustedCertificate) = error.reason else {
            Issue.record("\(error)", sourceLocation: sourceLocation)
            return
        }
        #expect(error.underlying?.code == 60, sourceLocation: sourceLocation)
        #expect(error.underlying?.message.contains(words) == true, "\(error)", sourceLocation: sourceLocation)
    }

    @Test func anAuthorityThatTheSystemDoesNotKnowIsNotTrusted() async throws {
        let nginx = try await Nginx.shared.value
        try await expectUntrusted(nginx.secureURL("/text"), trusting: .system, saying: "issuer")
    }

    @Test func anAuthorityInAFileIsTrusted() async throws {
        let nginx = try await Nginx.shared.value
        #expect(try await status(nginx.secureURL("/text"), trusting: .file(path: nginx.authority)) == .ok)
    }

    @Test func anyoneIsTrustedWhereThatIsAskedFor() async throws {
        let nginx = try await Nginx.shared.value
        #expect(try await status(nginx.secureURL("/text"), trusting: .insecureAcceptAny) == .ok)
        #expect(try await status(nginx.secureURL("/text", host: "127.0.0.1"), trusting: .insecureAcceptAny) == .ok)
        #expect(try await status(nginx.expiredURL, trusting: .insecureAcceptAny) == .noContent)
    }

    /// A connection that was made without looking must not serve a request that wants to look.
    @Test func trustIsNotInheritedThroughAConnection() async throws {
        let nginx = try await Nginx.shared.value
        #expect(try await status(nginx.secureURL("/text"), trusting: .insecureAcceptAny) == .ok)
        try await expectUntrusted(nginx.secureURL("/text"), trusting: .system, saying: "issuer")
        #expect(try await status(nginx.secureURL("/text"), trusting: .file(path: nginx.authority)) == .ok)
    }

    @Test func aCertificateForAnotherHostIsNotTrusted() async throws {
        let nginx = try await Nginx.shared.value
        let url = nginx.secureURL("/text", host: "127.0.0.1")
        try await expectUntrusted(url, trusting: .file(path: nginx.authority), saying: "match")
    }

    @Test func anExpiredCertificateIsNotTrusted() async throws {
        let nginx = try await Nginx.shared.value
        try await expectUntrusted(nginx.expiredURL, trusting: .file(path: nginx.authority), saying: "expired")
    }

    @Test(arguments: ["/nonexistent/ca.pem", "/dev/null"])
    func aFileWithoutAuthoritiesIsAnErrorOfItsOwn(path: String) async throws {
        let nginx = try await Nginx.shared.value
        let error = try await failure { () async throws(HTTPError) in
            try await status(nginx.secureURL("/text"), trusting: .file(path: path))
        }
        guard case .connection(.trustRoots) = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func aServerThatAsksForACertificateIsShownOne() async throws {
        let nginx = try await Nginx.shared.value
        let roots = RequestOptions.Connection.TrustRoots.file(path: nginx.authority)
        func ask(_ certificate: RequestOptions.Connection.ClientCertificate?) async throws(HTTPError) -> HTTPResponse<
            Data
        > {
            let request = HTTPRequest(.get, nginx.mutualURL).settingOptions {
                $0.connection.trustRoots = roots
                $0.connection.clientCertificate = certificate
            }
            return try await client.response(for: request)
        }
        let shown = try await ask(nginx.clientCertificate)
        #expect(String(decoding: shown.body, as: UTF8.self).contains("CN=localhost"))
        // A connection on which one was shown must not serve a request without.
        let refused = try await failure { () async throws(HTTPError) in try await ask(nil) }
        #expect(refused.status == .badRequest)
        let missing = RequestOptions.Connection.ClientCertificate(certificatePath: "/nowhere", keyPath: "/nowhere")
        let error = try await failure { () async throws(HTTPError) in try await ask(missing) }
        #expect(error.reason.outline == "connection.tls-handshake" && error.underlying?.code == 58)
    }

    @Test func showsNoCertificateAfterARedirectToAnotherOrigin() async throws {
        let nginx = try await Nginx.shared.value
        let server = try LoopbackServer()
        server.on("GET", "/", .redirect(to: nginx.mutualURL))
        let request = HTTPRequest(.get, server.url("/")).settingOptions {
            $0.connection.trustRoots = .file(path: nginx.authority)
            $0.connection.clientCertificate = nginx.clientCertificate
        }
        let refused = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        #expect(refused.status == .badRequest)
    }

    @Test func showsTheCertificateOfTheClientToItsOriginsAlone() async throws {
        let nginx = try await Nginx.shared.value
        let client = HTTPClient(baseURL: URL(string: nginx.url(""))).configuring {
            $0.options.connection.trustRoots = .file(path: nginx.authority)
            $0.options.connection.clientCertificate = nginx.clientCertificate
        }
        let request = HTTPRequest(.get, nginx.mutualURL)
        let refused = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        #expect(refused.status == .badRequest)
    }

    @Test func aPasswordIsNotShown() {
        let certificate = RequestOptions.Connection.ClientCertificate(
            certificatePath: "/a", keyPath: "/b", password: "passw0rd")
        var dumped = ""
        dump(RequestOptions.Connection.with { $0.clientCertificate = certificate }, to: &dumped)
        #expect(!dumped.contains("passw0rd") && !"\(certificate)".contains("passw0rd"))
    }
}
