import StreamsHTTP
import StreamsLoopback
import Testing

/// Safe and idempotent methods, and the repetition of their requests.
@Suite(.reservesDescriptors) struct HTTPMethodTests {
    private static let safe: [HTTPMethod] = [
        .get, .head, .options, .trace, .query, "PROPFIND", "REPORT", "SEARCH", HTTPMethod("FETCH", isSafe: true),
    ]
    private static let idempotent: [HTTPMethod] = [
        .put, .delete, HTTPMethod("STORE", isSafe: false, isIdempotent: true),
    ]
    private static let others: [HTTPMethod] = [.post, .patch, .connect, "query", "M-SEARCH", HTTPMethod("FETCH")]

    @Test func aMethodIsSafeOrIdempotentOrNeither() {
        for method in Self.safe { #expect(method.isSafe && method.isIdempotent, "\(method)") }
        for method in Self.idempotent { #expect(!method.isSafe && method.isIdempotent, "\(method)") }
        for method in Self.others { #expect(!method.isSafe && !method.isIdempotent, "\(method)") }
    }

    @Test func theTokenAloneTellsMethodsApart() {
        #expect(HTTPMethod("FETCH", isSafe: true) == "FETCH" && HTTPMethod.post == HTTPMethod("POST", isSafe: true))
        #expect(Set([HTTPMethod("FETCH", isSafe: true), "FETCH", "Fetch"]).count == 2)
        #expect(HTTPMethod("GET") == .get && HTTPMethod("GET").description == "GET")
    }

    /// The requests of a method that may be repeated are, with the same content.
    @Test(arguments: safe.dropFirst(4) + idempotent + others.filter { $0 != .connect })
    func idempotentRequestsAreRetried(method: HTTPMethod) async throws {
        let server = try LoopbackServer()
        server.on(method.rawValue, "/", .text("busy", status: 503), .text("done"))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
        }
        let request = HTTPRequest(method, "/", body: .text("which?"), options: options)
        let response = try? await server.client().response(for: request)
        let contents = server.requests.map(\.text)
        if method.isIdempotent {
            #expect(response.map { String(decoding: $0.body, as: UTF8.self) } == "done")
            #expect(contents == ["which?", "which?"])
        } else {
            #expect(response == nil && contents == ["which?"])
        }
    }

    /// A set of a program replaces the rule.
    @Test func setsOfMethodsAreTheProgramsWord() {
        let fetch = HTTPMethod("FETCH", isSafe: true)
        var retry = RetryPolicy(maxRetries: 1)
        #expect(retry.methods.isSuperset(of: [.query, .put, "REPORT"]) && !retry.methods.contains(fetch))
        retry.methods.insert(.post)
        #expect(retry.methods.isSuperset(of: [.query, .put, "REPORT", .post]))
        #expect(HedgingPolicy.never.methods.contains(.query) && !HedgingPolicy.never.methods.contains(.put))
        #expect(FeedOptions().reconnection.methods == RetryPolicy.never.methods)
    }

    /// QUERY asks for a length, as the other methods with content do (RFC 9110, section 8.6).
    @Test func aQueryWithoutContentHasALength() async throws {
        let server = try LoopbackServer()
        for method in ["QUERY", "REPORT"] { server.on(method, "/", .text(method)) }
        for method in [HTTPMethod.query, "REPORT"] {
            _ = try await server.client().response(for: HTTPRequest(method, "/"))
        }
        #expect(server.requests.map { $0.headers["Content-Length"] } == ["0", nil])
    }
}
