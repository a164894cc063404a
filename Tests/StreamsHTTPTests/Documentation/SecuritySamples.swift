import Foundation
import StreamsHTTP
import Testing

/// The samples of the article "Security".
@Suite(.reservesDescriptors) struct SecuritySamples {
    @Test func publicAddressesOnly() async throws {
        var configuration = HTTPClient.Configuration()
        configuration.options.connection.proxy = .none
        configuration.options.connection.allowsAddress = .publicOnly
        let client = HTTPClient(configuration: configuration)

        let error = await #expect(throws: HTTPError.self) {
            try await client.response(for: HTTPRequest(.get, "http://127.0.0.1:1/"))
        }
        guard case .connection(.addressNotAllowed) = error?.reason else {
            Issue.record("expected a refusal, got \(error as Any)")
            return
        }
    }

    @Test func targetsAndCredentials() async throws {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: "https://api.example.com/v1"))
        configuration.defaultHeaders.add("X-Shop-Pin", "4711", isSensitive: true)
        configuration.credentialOrigins = [URL(string: "https://files.example.com")].compactMap(\.self)
        configuration.allowsAbsoluteTargets = false

        let client = HTTPClient(configuration: configuration)
        let error = await #expect(throws: HTTPError.self) {
            try await client.response(for: HTTPRequest(.get, "https://elsewhere.example.com/"))
        }
        guard case .invalidRequest(.absoluteTarget) = error?.reason else {
            Issue.record("expected a refusal, got \(error as Any)")
            return
        }
        #expect(try !client.curlCommand(for: HTTPRequest(.get, "/")).contains("4711"))
    }

    @Test func redirects() {
        let httpsOnly = RedirectPolicy.follow(max: 3) { $0.url.scheme == "https" && !$0.hasBody }
        var options = RequestOptions()
        options.redirects = httpsOnly

        #expect(options.redirects == httpsOnly)
    }

    @Test func versionsPinsAndAddresses() {
        var connection = RequestOptions.Connection()
        connection.minimumTLSVersion = .tls13
        connection.pinnedPublicKeys = [
            "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=",
            "YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=",
        ]
        connection.resolve = ["api.example.com": IPAddress("192.0.2.7")].compactMapValues(\.self)

        #expect(connection.resolve.count == 1)
        #expect(RequestOptions.Connection().minimumTLSVersion == .tls12)
    }

    @Test func sizesAndRates() {
        var options = RequestOptions()
        options.maxBodySize = 1_000_000
        options.headLimits.maxFieldCount = 100
        options.headLimits.maxLineSize = 8 * 1024
        options.headLimits.maxSize = 32 * 1024
        options.timeouts.minimumRate = .init(bytesPerSecond: 1_000, over: .seconds(30))
        options.timeouts.total = .seconds(300)

        #expect(options.timeouts.connect == .seconds(30))
        #expect(options.timeouts.idle == .seconds(60))
        #expect(RequestOptions.HeadLimits().maxFieldCount == 1_000)
        #expect(RequestOptions.HeadLimits().maxLineSize == 64 * 1024)
        #expect(RequestOptions.HeadLimits().maxSize == 256 * 1024)
        #expect(RetryPolicy(maxRetries: 1).maxServerDelay == .seconds(120))
    }

    @Test func descriptorsAndLifetimes() {
        let transport = CurlTransport(
            configuration: CurlTransport.Configuration(
                maxConnectionsPerHost: 16, maxConnectionAge: .seconds(120), maxTrustRootsAge: .zero,
                reservedDescriptors: 256))

        _ = transport
        #expect(CurlTransport.Configuration().maxConnectionAge == .seconds(600))
        #expect(CurlTransport.Configuration().maxTrustRootsAge == .seconds(600))
    }

    @Test func namesOfSecrets() throws {
        var configuration = HTTPClient.Configuration()
        configuration.redaction.names.formUnion(["shop-pin", "patient_id"])

        let client = HTTPClient(configuration: configuration)
        let request = HTTPRequest(.get, "https://api.example.com/visits?patientId=4711")
        #expect(try !client.curlCommand(for: request).contains("4711"))
    }

    @Test func runtime() {
        let runtime = CurlTransport.runtime
        print(runtime)  // libcurl/7.88.1 OpenSSL/3.0.17 zlib/1.2.13 ...
        if runtime.limitations.contains(.asynchronousLookups) { print("a slow name server delays all requests") }
        if !runtime.features.contains(.tls) { print("no https") }

        #expect(runtime.description.hasPrefix("libcurl/"))
    }

    /// Every sample of the article is in this file, so that the compiler and the tests check it.
    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/Security.md")
        #expect(article.samples.count == 8)
        try article.expectAll()
    }
}
