import StreamsHTTP
import StreamsLoopback
import Testing

/// Errors, lines of logs and commands show no secret.
@Suite(.reservesDescriptors) struct RedactedTextTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    /// The names of secrets in queries that were once shown.
    static let names: [String] = [
        "api_key", "API-KEY", "apikey", "access_token", "accessToken", "code", "code_verifier", "client_assertion",
        "sig", "X-Amz-Signature", "X-Amz-Security-Token", "X-Goog-Signature", "sessionId", "privateKey",
        "client%5Fsecret", "user[password]", "auth.token", "PASSWORD",
    ]

    private func texts(of error: HTTPError) -> [String] {
        DisplayedSecretsTests.display(of: error) + [error.request.url]
    }

    @Test(arguments: names) func hidesParametersInErrorsAndLogs(name: String) async throws {
        let lines = Watched<[String]>([])
        let log = LogMonitor(.everything) { line in lines.update { $0.append(line) } }
        server.on("GET", "/gone", .status(410))
        let client = server.client().configuring { $0.monitors = [log] }
        let query = "page=2&\(name)=s3cret&x=1"
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/gone?\(query)#\(query)"))
        }
        #expect(server.requests.first?.target.contains("s3cret") == true)
        for text in texts(of: error) + lines.value { #expect(!text.contains("s3cret"), "\(text)") }
        #expect(error.description.contains("page=2") && error.description.contains("x=1"))
        let command = try client.curlCommand(for: HTTPRequest(.get, "/?\(query)"))
        #expect(!command.contains("s3cret") && command.contains("page=2"), "\(command)")
        #expect(!HTTPRequest(.get, "/?\(query)").curlCommand().contains("s3cret"))
        #expect(HTTPRequest(.get, "/?\(query)").curlCommand(revealingSecrets: true).contains("s3cret"))
    }

    @Test(arguments: ["PRIVATE-TOKEN", "X-Goog-Api-Key", "X-Amz-Security-Token", "Api-Key", "x_api_key"])
    func hidesHeadersInCommands(name: String) {
        let request = HTTPRequest(.get, "http://h/", headers: [.init(name): "s3cret"])
        #expect(!request.curlCommand().contains("s3cret") && !"\(request.headers)".contains("s3cret"))
    }

    @Test(arguments: [
        HTTPBody.form(["user": "ann", "password": "s3cret"]),
        .text(#"{"user":"ann","a":[{"accessToken":"s3cret"}]}"#, contentType: "application/json"),
    ])
    func hidesMembersOfBodiesInCommands(body: HTTPBody) {
        let request = HTTPRequest(.post, "http://h/", body: body)
        #expect(!request.curlCommand().contains("s3cret") && request.curlCommand().contains("ann"))
        #expect(request.curlCommand(revealingSecrets: true).contains("s3cret"))
    }

    @Test func hidesFormsInCommands() throws {
        let form = MultipartForm([.text("user", "ann"), .text("password", "s3cret")])
        let request = HTTPRequest(.post, "http://h/", body: try .multipart(form))
        #expect(!request.curlCommand().contains("s3cret") && request.curlCommand().contains("ann"))
    }

    @Test func hidesNamesOfProgram() async throws {
        let lines = Watched<[String]>([])
        let client = server.client().configuring {
            $0.redaction.names.insert("Shop-PIN")
            $0.monitors = [LogMonitor { line in lines.update { $0.append(line) } }]
        }
        #expect(client.configuration.redaction.names.isSuperset(of: ["shoppin", "apikey"]))
        let request = HTTPRequest(
            .post, "/?shop_pin=s3cret&api_key=s3cret&page=2", headers: ["X-Shop-Pin": "s3cret"],
            body: .text(#"{"shopPin":["s3cret"]}"#, contentType: "application/json"))
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        let preview = try await failure { () throws(HTTPError) in
            try await client.previewing(.success).response(for: request)
        }
        let broken = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "http://a b/?shop_pin=s3cret"))
        }
        let confined = client.configuring {
            $0.allowsAbsoluteTargets = false
            $0.defaultQuery = ["shop_pin": "s3cret"]
        }
        let absolute = try await failure { () throws(HTTPError) in
            try await confined.response(for: HTTPRequest(.get, "http://h/?shop_pin=s3cret"))
        }
        var dumped = ""
        dump(confined.configuration, to: &dumped)
        let command = try client.curlCommand(for: request)
        let errors = [error, preview, broken, absolute].flatMap { ["\($0)", "\($0.reason)"] }
        for text in lines.value + [command, dumped] + errors {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(command.contains("page=2") && lines.value.first?.contains("page=2") == true)
    }

    @Test func keepsCommandsOfOtherRequests() {
        let request = HTTPRequest(.post, "http://h/?a=1#b", query: ["c": "2"], body: .text("d=3"))
        #expect(request.curlCommand() == request.curlCommand(revealingSecrets: true))
    }

    /// Of the texts of libcurl too, some have the whole URL of a proxy.
    @Test(arguments: [
        "foo://user:s3cret@127.0.0.1:1", "http://user:s3cret x@127.0.0.1:1", "http://user:s3cret@127.0.0.1:99999",
        "http://user:s3cret/x@127.0.0.1:1", "user:a/s3cret@127.0.0.1:1", "http://user:x'y's3cret@[bad:1",
        "http://user:\(String(repeating: "s3cret", count: 60))@127.0.0.1:99999", "http://user:s3cret@127.0.0.1:1",
    ])
    func hidesCredentialsOfProxies(proxy: String) async throws {
        let lines = Watched<[String]>([])
        let client = server.client().configuring {
            $0.monitors = [LogMonitor { line in lines.update { $0.append(line) } }]
        }
        let options = RequestOptions.with { $0.connection.proxy = .url(proxy) }
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "http://h.invalid/", options: options))
        }
        #expect(["invalid-request.connection-option", "connection.refused"].contains(error.name))
        for text in texts(of: error) + lines.value { #expect(!text.contains("s3cret"), "\(text)") }
    }

    @Test func hidesParametersOfUnansweredRequests() async throws {
        let client = server.client().previewing(.success)
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/?api_key=s3cret&page=2"))
        }
        for text in texts(of: error) { #expect(!text.contains("s3cret"), "\(text)") }
        #expect(error.description.contains("page=2"))
    }

    @Test func hidesParametersOfRedirects() async throws {
        server.on("GET", "/old", .redirect(to: "http://a b/?access_token=s3cret&page=2"))
        server.on("GET", "/moved", .redirect(to: "/gone?code=s3cret&page=2"))
        server.on("GET", "/gone", .status(410))
        for path in ["/old", "/moved"] {
            let error = try await failure { () throws(HTTPError) in
                try await server.client().response(for: HTTPRequest(.get, path))
            }
            for text in texts(of: error) { #expect(!text.contains("s3cret"), "\(text)") }
        }
    }
}
