import StreamsHTTP
import StreamsLoopback
import Testing

/// The samples of the article "Handling errors".
@Suite(.reservesDescriptors) struct HandlingErrorsSamples {
    private struct User: Decodable, Sendable {
        let id: Int
        let name: String
    }

    private struct GetUser: Endpoint {
        let id: Int
        var path: String { "/users/\(id)" }
        typealias Response = User
    }

    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/users/7", .json(#"{"id":7,"name":"Ann"}"#))
        server.on("GET", "/users/8", .status(404))
        client = HTTPClient(baseURL: URL(string: server.url("")))
    }

    @Test func reasons() {
        func advice(for error: HTTPError) -> String {
            switch error.reason {
            case .connection(.hostNotResolved), .connection(.refused): "Check the address."
            case .connection, .timeout, .transfer, .webSocket: "Try again later."
            case .status(let response) where response.status == .notFound: "There is no such thing."
            case .status(let response): "The server answered \(response.status)."
            case .authorization: "Log in again."
            case .thrown(_, by: .body): "Choose another file."
            case .invalidRequest, .redirect, .decoding, .thrown: "Please report this: \(error)"
            case .cancelled: ""
            }
        }

        let summary = HTTPError.RequestSummary(method: .get, url: "http://h/")
        let reasons: [HTTPError.Reason] = [
            .connection(.refused), .connection(.tlsHandshake), .thrown(FileMissing(), by: .body),
        ]
        #expect(
            reasons.map { advice(for: HTTPError($0, request: summary)) }
                == ["Check the address.", "Try again later.", "Choose another file."])
    }

    private struct FileMissing: Error {}

    @Test func kinds() {
        func explanation(of transfer: HTTPError.Transfer) -> String {
            switch transfer {
            case .bodyTooLarge: "more than \(transfer.limit ?? 0) bytes"
            case .emptyReply, .receiveFailed, .bodyEndedEarly: "the connection broke"
            default: transfer.description
            }
        }

        #expect(explanation(of: .bodyTooLarge(limit: 9)) == "more than 9 bytes")
        #expect(explanation(of: .notHTTP) == "the reply is not HTTP")
    }

    @Test func catching() async throws {
        func name(of id: Int) async throws(HTTPError) -> String? {
            do throws(HTTPError) {
                return try await client.value(for: GetUser(id: id)).name
            } catch {
                guard error.status == .notFound else { throw error }
                return nil
            }
        }

        func hasUser(_ id: Int) async throws -> Bool {
            do {
                return try await client.value(for: GetUser(id: id)).id == id
            } catch HTTPStatus.notFound {
                return false
            }
        }

        #expect(try await name(of: 7) == "Ann")
        #expect(try await name(of: 8) == nil)
        #expect(try await hasUser(7))
        #expect(try await !hasUser(8))
    }

    @Test func otherCode() {
        struct OutOfOrder: Error {}

        let failure = TransportFailure(.thrown(OutOfOrder(), by: .transport))

        #expect(failure.reason.name == "thrown.transport")
    }

    @Test func articleHasTheseSamples() throws {
        let article = try ArticleSamples(of: "Sources/StreamsHTTP/StreamsHTTP.docc/HandlingErrors.md")
        #expect(article.samples.count == 4)
        try article.expectAll()
    }
}
