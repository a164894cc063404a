import StreamsHTTP
import StreamsLoopback
import Testing

/// Bodies with values, which the client that sends them encodes.
@Suite(.serialized, .reservesDescriptors) struct EncodedBodyTests {
    private struct User: Codable, Sendable, Equatable {
        var firstName: String
    }

    private struct Unencodable: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: "no"))
        }
    }

    private struct Body: Interceptor {
        let body: HTTPBody

        func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest {
            var request = request
            request.body = body
            return request
        }
    }

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client().configuring { $0.coders = .json(keys: .snakeCase) }
        server.otherwise { .text($0.text) }
    }

    private func sent(_ body: HTTPBody, by client: HTTPClient) async throws -> String {
        _ = try await client.response(for: HTTPRequest(.post, "/", body: body))
        let request = try #require(server.requests.last)
        #expect(request.headers["Content-Length"] == "\(request.text.utf8.count)")
        return request.text
    }

    @Test func usesTheClientsCoders() async throws {
        let user = User(firstName: "Ada")
        #expect(try await sent(.json(user), by: client) == #"{"first_name":"Ada"}"#)
        #expect(try await sent(.form(encoding: user), by: client) == "first_name=Ada")
        #expect(try await sent(.multipart([.json("user", user)]), by: client).contains(#"{"first_name":"Ada"}"#))
        let adapting = client.configuring { $0.interceptors = [Body(body: .json(user))] }
        #expect(try await sent(.text("x"), by: adapting) == #"{"first_name":"Ada"}"#)
    }

    @Test func usesAnEncoderThatIsGiven() async throws {
        let user = User(firstName: "Ada")
        #expect(try await sent(.json(user, encoder: JSONEncoder()), by: client) == #"{"firstName":"Ada"}"#)
        #expect(try await sent(.form(encoding: user, encoder: QueryEncoder()), by: client) == "firstName=Ada")
    }

    @Test func aResponseIsReadAsItsRequestWasWritten() async throws {
        server.on("POST", "/echo") { .json($0.text) }
        let request = HTTPRequest(.post, "/echo").settingBody(.json(User(firstName: "Ada")))
        #expect(try await client.value(for: request.decoding(User.self)) == User(firstName: "Ada"))
    }

    @Test(arguments: [
        HTTPBody.json(Unencodable()), .form(encoding: Unencodable()), .json(["number": Double.nan]),
    ]) func aValueThatCannotBeEncodedFailsTheRequest(body: HTTPBody) async throws {
        for client in [client, client.configuring { $0.interceptors = [Body(body: body)] }] {
            let error = try await failure { () async throws(HTTPError) in
                try await client.response(for: HTTPRequest(.post, "/", body: body))
            }
            #expect(error.reason.outline == "thrown.encoder(EncodingError)")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func aPartMayNotContainTheBoundary() async throws {
        let body = try HTTPBody.multipart([.json("a", "--boundary")], boundary: "boundary")
        let error = try await failure { () async throws(HTTPError) in
            try await client.response(for: HTTPRequest(.post, "/", body: body))
        }
        #expect(error.reason.outline == "thrown.encoder(Failure)")
        guard case .thrown(let failure, by: .encoder) = error.reason else { return }
        #expect(failure as? MultipartForm.Failure == .boundaryInContent("boundary"))
    }

    @Test func aRetrySendsTheValueAgain() async throws {
        server.on("PUT", "/flaky", .status(503), .status(204))
        let request = HTTPRequest(.put, "/flaky").settingBody(.json(User(firstName: "Ada"))).settingOptions {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
        }
        _ = try await client.response(for: request)
        #expect(server.requests.map(\.text) == [#"{"first_name":"Ada"}"#, #"{"first_name":"Ada"}"#])
    }
}
