import Foundation
import StreamsHTTP
import Testing

/// Versions of TLS, pinned keys and files of authorities that change.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct TLSOptionsTests {
    private let client = HTTPClient.alone

    private func status(
        _ url: String, _ nginx: Nginx, _ change: (inout RequestOptions.Connection) -> Void = { _ in }
    ) async throws(HTTPError) -> HTTPStatus {
        var connection = RequestOptions.Connection()
        connection.trustRoots = .file(path: nginx.authority)
        change(&connection)
        let request = HTTPRequest(.head, url).settingOptions { $0.connection = connection }
        return try await client.response(for: request).status
    }

    // MARK: Versions

    @Test func acceptsTLS12ByDefault() async throws {
        let nginx = try await Nginx.shared.value
        #expect(try await status(nginx.cappedURL, nginx) == .noContent)
    }

    @Test func refusesALowerVersionThanTheMinimum() async throws {
        let nginx = try await Nginx.shared.value
        let newest = try await status(nginx.expiredURL, nginx) {
            $0.trustRoots = .insecureAcceptAny
            $0.minimumTLSVersion = .tls13
        }
        #expect(newest == .noContent)
        // A connection with a lower version is not used again.
        #expect(try await status(nginx.cappedURL, nginx) == .noContent)
        let error = try await failure { () async throws(HTTPError) in
            try await status(nginx.cappedURL, nginx) { $0.minimumTLSVersion = .tls13 }
        }
        #expect(error.reason.outline == "connection.tls-handshake")
    }

    #if os(Linux)
    /// The system's OpenSSL may refuse old versions itself, so the process has a configuration that allows them.
    @Test func refusesTLS11ByDefault() async throws {
        let nginx = try await Nginx.shared.value
        await #expect(processExitsWith: .success) { [url = nginx.outdatedURL as String] in
            let folder = try ScratchFolder()
            let settings = "openssl_conf = a\n[a]\nssl_conf = b\n[b]\nsystem_default = c\n[c]\nMinProtocol = TLSv1\n"
            try folder.write("\(settings)CipherString = DEFAULT:@SECLEVEL=0\n", to: "openssl.cnf")
            setenv("OPENSSL_CONF", "\(folder.path)/openssl.cnf", 1)
            func request(_ url: String, _ connection: RequestOptions.Connection) -> HTTPRequest {
                HTTPRequest(.get, url).settingOptions { $0.connection = connection }
            }
            let client = HTTPClient.alone
            let allowed = RequestOptions.Connection.with {
                $0.trustRoots = .insecureAcceptAny
                $0.minimumTLSVersion = .tls11
            }
            try #require(try await client.response(for: request(url, allowed)).status == .noContent)
            let refused = try await failure { () async throws(HTTPError) in
                try await client.response(
                    for: request(url, RequestOptions.Connection.with { $0.trustRoots = .insecureAcceptAny }))
            }
            try #require(refused.reason.outline == "connection.tls-handshake")
            // Without the minimum, the proxy's certificate would be the problem.
            let proxied = RequestOptions.Connection.with { $0.proxy = .url(url) }
            let unproxied = try await failure { () async throws(HTTPError) in
                try await client.response(for: request("http://name.invalid/", proxied))
            }
            try #require(unproxied.reason.outline == "connection.tls-handshake")
        }
    }
    #endif

    // MARK: Pins

    private static let otherKey = Data(repeating: 7, count: 32).base64EncodedString()

    @Test func acceptsAPinnedKey() async throws {
        let nginx = try await Nginx.shared.value
        let pin = try nginx.publicKeyPin
        #expect(try await status(nginx.secureURL("/text"), nginx) { $0.pinnedPublicKeys = [pin] } == .ok)
        #expect(try await status(nginx.cappedURL, nginx) { $0.pinnedPublicKeys = [Self.otherKey, pin] } == .noContent)
    }

    @Test(arguments: [RequestOptions.Connection.TrustRoots.insecureAcceptAny, nil])
    func refusesAKeyThatIsNotPinned(roots: RequestOptions.Connection.TrustRoots?) async throws {
        let nginx = try await Nginx.shared.value
        // A connection that was made without pins is not used.
        #expect(try await status(nginx.secureURL("/text"), nginx) { $0.trustRoots = roots ?? $0.trustRoots } == .ok)
        for pins in [[Self.otherKey], ["no digest"]] as [Set] {
            let error = try await failure { () async throws(HTTPError) in
                try await status(nginx.secureURL("/text"), nginx) {
                    $0.trustRoots = roots ?? $0.trustRoots
                    $0.pinnedPublicKeys = pins
                }
            }
            #expect(error.reason.outline == "connection.public-key-not-pinned" && error.underlying?.code == 90)
        }
    }

    @Test func verifiesTheCertificateOfAPinnedKey() async throws {
        let nginx = try await Nginx.shared.value
        let pin = try nginx.publicKeyPin
        let error = try await failure { () async throws(HTTPError) in
            try await status(nginx.secureURL("/text"), nginx) {
                $0.trustRoots = .system
                $0.pinnedPublicKeys = [pin]
            }
        }
        #expect(error.reason.outline == "connection.untrusted-certificate")
    }

    // MARK: Files of authorities

    @Test func readsAChangedFileOfAuthorities() async throws {
        let nginx = try await Nginx.shared.value
        let folder = try ScratchFolder()
        let file = "\(folder.path)/roots.pem"
        try FileManager.default.copyItem(atPath: nginx.authority, toPath: file)
        let configuration = CurlTransport.Configuration(maxTrustRootsAge: .zero)
        let client = HTTPClient(configuration: .init(), transport: CurlTransport(configuration: configuration))
        func status(_ url: String) async throws(HTTPError) -> HTTPStatus {
            let request = HTTPRequest(.head, url).settingOptions {
                $0.connection.trustRoots = .file(path: file)
            }
            return try await client.response(for: request).status
        }
        #expect(try await status(nginx.secureURL("/text")) == .ok)
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: nginx.clientCertificate.certificatePath, toPath: file)
        let error = try await failure { () async throws(HTTPError) in try await status(nginx.cappedURL) }
        #expect(error.reason.outline == "connection.untrusted-certificate")
    }

    @Test func limitsLifetimesToTenMinutesByDefault() {
        let configuration = CurlTransport.Configuration()
        #expect(configuration.maxConnectionAge == .seconds(600) && configuration.maxTrustRootsAge == .seconds(600))
    }
}
