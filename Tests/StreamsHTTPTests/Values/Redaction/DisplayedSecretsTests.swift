import StreamsHTTP
import StreamsHTTPTesting
import StreamsLoopback
import Testing

/// No public type shows a secret that it holds: neither its text nor its mirror.
@Suite(.reservesDescriptors) struct DisplayedSecretsTests {
    private static let secret = "s3cr3tm4rk3r"
    private static let basic = Data("user:\(secret)".utf8).base64EncodedString()

    /// A value that holds the secret.
    struct Holder: Sendable, CustomTestStringConvertible {
        let name: String
        let makeValue: @Sendable () throws -> Any

        init(_ name: String, _ makeValue: @escaping @Sendable () throws -> Any) {
            self.name = name
            self.makeValue = makeValue
        }

        var testDescription: String { name }
    }

    private struct Login: AuthorizationEndpoint {
        typealias Response = String
        let path = "/login"
        func accessToken(from response: String) -> String? { response }
        func refreshToken(from response: String) -> String? { response }
    }

    private struct Refresh: ReauthorizationEndpoint {
        typealias Response = String
        let path = "/refresh"
        init(refreshToken: String) {}
        func accessToken(from response: String) -> String? { response }
        func refreshToken(from response: String) -> String? { response }
    }

    /// A provider of a program, which does not hide its secret itself.
    private struct Provider: AuthorizationProvider {
        let secret: String
        func authorize(_ request: TransportRequest) -> TransportRequest { request }
    }

    private struct Service: HTTPService {
        let baseURL = DisplayedSecretsTests.url
    }

    private struct Stamp: Interceptor {
        let secret: String
        func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest {
            request
        }
    }

    private static let url = URL(
        literal: "http://user:s3cr3tm4rk3r@h/p?api_key=s3cr3tm4rk3r&page=2#access_token=s3cr3tm4rk3r")

    private static let headers: HTTPHeaders = {
        var headers: HTTPHeaders = [
            "Authorization": "Bearer \(secret)", "Cookie": "sid=\(secret)", "PRIVATE-TOKEN": secret,
            "X-Goog-Api-Key": secret, "X-Amz-Security-Token": secret, "Api-Key": secret, "x_api_key": secret,
            "Location": "/p?token=\(secret)",
        ]
        headers.add("X-Own", secret, isSensitive: true)
        return headers
    }()

    private static let connection = RequestOptions.Connection.with {
        $0.proxy = .url("http://user:\(secret)@h:1")
        $0.clientCertificate = RequestOptions.Connection.ClientCertificate(
            certificatePath: "/a", keyPath: "/b", password: secret)
    }

    private static let options = RequestOptions.with { $0.connection = connection }

    private static var request: HTTPRequest {
        HTTPRequest(
            .post, url.absoluteString, query: ["client_secret": secret, "page": "2"], headers: headers,
            body: .form(["password": secret]), options: options)
    }

    private static var configuration: HTTPClient.Configuration {
        HTTPClient.Configuration(
            baseURL: url, defaultHeaders: headers, defaultQuery: ["api_key": secret], options: options,
            interceptors: [Stamp(secret: secret)], authorization: Provider(secret: secret))
    }

    private static var response: HTTPResponse<Data> {
        HTTPResponse(
            status: .badRequest, headers: headers, body: Data(#"{"access_token":"\#(secret)"}"#.utf8), url: url,
            redirects: [url])
    }

    private static var error: HTTPError {
        HTTPError(
            .status(response), request: HTTPError.RequestSummary(method: .get, url: "http://h/"), redirects: [url])
    }

    private static func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        var configuration = configuration
        change(&configuration)
        return HTTPClient(configuration: configuration, transport: MockTransport())
    }

    private static func recorded() async throws -> RecordedSession {
        let mock = MockTransport()
        mock.on(nil, "/**", MockResponse(headers: headers, body: response.body))
        let recording = RecordingTransport(wrapping: mock)
        _ = try? await HTTPClient(configuration: configuration, transport: recording).response(for: request)
        return recording.session
    }

    private static let holders: [Holder] = [
        Holder("headers") { headers }, Holder("field") { headers[0] }, Holder("marked field") { headers.last as Any },
        Holder("query") { HTTPQuery(dictionaryLiteral: ("api_key", secret)) },
        Holder("query item") { HTTPQuery.Item("accessToken", secret) },
        Holder("request") { request }, Holder("request of an endpoint") { request.decoding(String.self) },
        Holder("request options") { options }, Holder("connection options") { connection },
        Holder("proxy") { connection.proxy },
        Holder("proxy with an odd password") { RequestOptions.Connection.Proxy.url("user:a/b@\(secret)@h:1") },
        Holder("client certificate") { connection.clientCertificate as Any },
        Holder("transport request") { try request.transportRequest() },
        Holder("body") { HTTPBody.form(["password": secret]) },
        Holder("multipart form") { MultipartForm([.text("password", secret)]) },
        Holder("multipart body") { try HTTPBody.multipart(MultipartForm([.text("password", secret)])) },
        Holder("configuration") { configuration }, Holder("client") { client() },
        Holder("client with a fixed token") { client { $0.authorization = .bearer(secret) } },
        Holder("service client") { ServiceClient(Service(), client: client()) },
        Holder("previewing client") { client().previewing(.failure(error)) },
        Holder("stream") { client { $0.options.sharesInFlight = true }.events(for: request) },
        Holder("shared stream") {
            client { $0.options.sharesInFlight = true }.events(for: HTTPRequest(.get, url).decoding(String.self))
        },
        Holder("feed") { client().serverSentEvents(for: request) },
        Holder("events of a feed") { client().changes(for: request).events },
        Holder("bearer token") { FixedAuthorization.bearer(secret) },
        Holder("user and password") { FixedAuthorization.basic(user: "user", password: secret) },
        Holder("OAuth") {
            OAuthAuthorization<Login, Refresh>(store: InMemoryCredentialStore(["oauth.accessToken": secret]))
        },
        Holder("credential store") { InMemoryCredentialStore(["oauth.accessToken": secret]) },
        Holder("response") { response }, Holder("head") { response.replacingBody(()) }, Holder("error") { error },
        Holder("reason") { error.reason },
        Holder("transport failure") { TransportFailure(error.reason) },
        Holder("service error") { ServiceError<Data>.remote(response) },
        Holder("local service error") { ServiceError<Data>.local(error) },
        Holder("event") { RequestEvent<Data>.response(response) },
        Holder("transport event") { TransportEvent.head(response.replacingBody(())) },
        Holder("curl transport") { CurlTransport() }, Holder("mock transport") { MockTransport() },
    ]

    /// Everything that a value shows: its texts, and all that a walk over the mirrors finds.
    static func display(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        var printed = ""
        print(value, to: &printed)
        debugPrint(value, to: &printed)
        var shown = [dumped, printed, String(describing: value), String(reflecting: value), "\(value)"]
        var seen: Set<ObjectIdentifier> = []
        walk(Mirror(reflecting: value), depth: 0, &seen, &shown)
        return shown
    }

    private static func walk(_ mirror: Mirror, depth: Int, _ seen: inout Set<ObjectIdentifier>, _ shown: inout [String])
    {
        guard depth < 16 else { return }
        for child in mirror.children {
            shown.append("\(child.label ?? ""): \(child.value)")
            switch child.value {
            case let data as Data: shown.append(String(decoding: data, as: UTF8.self))
            case let bytes as [UInt8]: shown.append(String(decoding: bytes, as: UTF8.self))
            default: break
            }
            if type(of: child.value) is AnyClass, !seen.insert(ObjectIdentifier(child.value as AnyObject)).inserted {
                continue
            }
            walk(Mirror(reflecting: child.value), depth: depth + 1, &seen, &shown)
        }
        if let parent = mirror.superclassMirror { walk(parent, depth: depth + 1, &seen, &shown) }
    }

    @Test(arguments: holders) func hidesSecretOf(holder: Holder) throws {
        for text in Self.display(of: try holder.makeValue()) {
            #expect(!text.contains(Self.secret) && !text.contains(Self.basic), "\(holder.name) shows \(text)")
        }
    }

    @Test func hidesSecretsOfTransportsInUse() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("ok"))
        let curl = CurlTransport()
        let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: curl)
        let options = RequestOptions.with {
            $0.connection.proxy = .url("http://user:\(Self.secret)@127.0.0.1:1", except: ["127.0.0.1"])
        }
        let url = server.url("/?api_key=\(Self.secret)")
        _ = try await client.response(for: HTTPRequest(.get, url, headers: Self.headers, options: options))
        let mock = MockTransport()
        mock.on(nil, "/**", MockResponse())
        _ = try await HTTPClient(configuration: Self.configuration, transport: mock).response(for: Self.request)
        let session = try await Self.recorded()
        let values: [Any] = [
            curl, client, mock, mock.requests, session, session.exchanges, ReplayTransport(from: session),
        ]
        for value in values {
            for text in Self.display(of: value) {
                #expect(!text.contains(Self.secret) && !text.contains(Self.basic), "\(type(of: value)) shows \(text)")
            }
        }
    }
}
