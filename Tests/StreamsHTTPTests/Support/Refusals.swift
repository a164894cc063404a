import StreamsHTTP
import Testing

/// Expects a request to be refused for a reason before anything is sent.
func expect(
    refusing expected: HTTPError.InvalidRequest, client: HTTPClient = HTTPClient(),
    sourceLocation: SourceLocation = #_sourceLocation, _ request: () -> HTTPRequest
) async {
    do throws(HTTPError) {
        let response = try await client.response(for: request())
        Issue.record("answered with \(response.status)", sourceLocation: sourceLocation)
    } catch {
        guard case .invalidRequest(let reason) = error.reason else {
            Issue.record("failed with \(error)", sourceLocation: sourceLocation)
            return
        }
        #expect(reason == expected, sourceLocation: sourceLocation)
    }
}
