import StreamsHTTP
import StreamsLoopback
import Testing

/// Handles are used again, and nothing of a request is left in them for the next.
@Suite(.reservesDescriptors) struct HandleReuseTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.otherwise { request in
            request.path == "/broken" ? .text("cut off").failing(with: .close(at: .inBody(after: 3))) : .text("hello")
        }
    }

    /// Requests that differ in everything that a handle is told.
    private static var requests: [HTTPRequest] {
        var requests = [
            HTTPRequest(.get, "/plain"), HTTPRequest(.get, "/plain?query=1"), HTTPRequest(.head, "/plain"),
            HTTPRequest(.delete, "/plain"), HTTPRequest(.post, "/plain"), HTTPRequest(.get, "/broken"),
            HTTPRequest(.post, "/text", body: .text("some text")), HTTPRequest(.put, "/text", body: .text("other")),
            HTTPRequest(HTTPMethod(rawValue: "PROPFIND"), "/plain"),
        ]
        requests += requests.map { $0.settingHeader("X-Secret", "1").settingHeader("Accept", "text/plain") }
        requests += requests.map { request in
            request.settingOptions { $0.connection.decodesContent = false }
        }
        return requests
    }

    /// A request as the server received it.
    private struct Arrival: Equatable {
        let method: String
        let target: String
        let headers: HeaderFields
        let body: [UInt8]

        init(_ request: RecordedRequest) {
            method = request.method
            target = request.target
            headers = request.headers
            body = request.body
        }
    }

    /// Has requests sent one after the other.
    private func arrivals(of requests: [HTTPRequest], by client: () -> HTTPClient) async throws -> [Arrival] {
        let before = server.requests.count
        for request in requests { _ = try? await client().response(for: request) }
        return try await server.waitForRequests(before + requests.count).dropFirst(before).map(Arrival.init)
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func eachRequestArrivesAsOnATransportOfItsOwn(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let requests = Self.requests.shuffled(using: &generator)
        let shared = server.client(transport: CurlTransport())
        let reused = try await arrivals(of: requests) { shared }
        let fresh = try await arrivals(of: requests) { server.client(transport: CurlTransport()) }
        #expect(reused == fresh)
        #expect(reused.count == requests.count)
    }
}
