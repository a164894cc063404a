// The body of a response as an asynchronous sequence that obeys demand, for the adapters for generated clients.
import StreamsHTTP

/// The chunks of a response's body. Each is requested when the sequence is asked for it. Iterate it once.
// Safe because copies of the iterator share one subscription, which any task may ask for the next event.
struct ResponseChunks: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    fileprivate var first: Data?
    fileprivate var events: AsyncTypedThrowingPublisher<RequestPublisher<Void>>.Iterator?

    func makeAsyncIterator() -> Self { self }

    mutating func next() async throws -> Data? {
        if let first = first.take() { return first }
        while let event = try await events?.next() {
            if case .chunk(let chunk) = event { return chunk }
            // The head of another attempt may differ from the one that was returned.
            if case .retrying(let retry) = event { throw retry.error }
        }
        return nil
    }
}

extension HTTPClient {
    /// Returns the response to a request, whatever its status is, as soon as its head is final.
    func chunkedResponse(for request: HTTPRequest) async throws(HTTPError) -> HTTPResponse<ResponseChunks> {
        var events = events(for: request.settingOptions { $0.validation = .acceptAll }).values.makeAsyncIterator()
        var head: HTTPResponse<Void>?
        do {
            while let event = try await events.next() {
                if case .head(let received) = event { head = received }
                guard let head else { continue }
                if case .chunk(let data) = event {
                    return head.replacingBody(ResponseChunks(first: data, events: events))
                }
                // An error may be followed by another attempt until its body begins.
                if head.status.isSuccess { return head.replacingBody(ResponseChunks(events: events)) }
                if case .response = event { return head.replacingBody(ResponseChunks()) }
            }
        } catch {
            // Credentials that cannot be renewed make an error of 401, whatever the validation is.
            guard case .status(let response) = error.reason else { throw error }
            return response.replacingBody(ResponseChunks(first: response.body))
        }
        throw .cancellation
    }
}
