extension HTTPClient {
    /// Returns the decoded value of a call.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func value<Call: Endpoint>(for endpoint: Call) async throws(HTTPError) -> Call.Response {
        try await response(for: endpoint).body
    }

    /// Returns the decoded value of a call, and reports its progress.
    ///
    /// - Parameters:
    ///   - endpoint: The call to make.
    ///   - onProgress: Called with each progress of the upload and then of the download, serially, in the calling task.
    ///     It should return quickly.
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func value<Call: Endpoint>(
        for endpoint: Call, onProgress: @escaping @Sendable (HTTPRequest.Progress) -> Void
    ) async throws(HTTPError) -> Call.Response {
        var state = HTTPRequest.Progress.State()
        return try await awaitResponse(to: endpoint) { onProgress(state.receive($1, of: $0)) }.body
    }

    /// Returns the decoded response to a call.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func response<Call: Endpoint>(
        for endpoint: Call
    ) async throws(HTTPError) -> HTTPResponse<Call.Response> {
        try await awaitResponse(to: endpoint)
    }

    /// Awaits the response to a call, decoded in the calling task.
    private func awaitResponse<Call: Endpoint>(
        to endpoint: Call, onProgress: ((TransferProgress.Direction, TransferProgress) -> Void)? = nil
    ) async throws(HTTPError) -> HTTPResponse<Call.Response> {
        let plan = plan(for: endpoint)
        var value: Call.Response?
        let awaiter = await ResponseAwaiter.awaitEnd(of: plan, onProgress: onProgress) {
            value = try self.configuration.decode($0, from: endpoint)
        }
        let response = try awaiter.result()
        // A response comes after its decoding.
        guard let value else { throw HTTPError(.cancelled, request: plan.summary) }
        return response.replacingBody(value)
    }

    /// Returns the response to a request, with its body undecoded, collected up to ``RequestOptions/maxBodySize``.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func response(for request: HTTPRequest) async throws(HTTPError) -> HTTPResponse<Data> {
        try await ResponseAwaiter.awaitEnd(of: RequestPlan(request, client: self, bodyUse: .collect)).result()
    }

    /// Returns the response to a request as soon as its head is final, with its body as a sequence of chunks.
    ///
    /// ```swift
    /// let response = try await client.streamedResponse(for: HTTPRequest(.get, "/archive"))
    /// print(response.headers["Content-Type"] ?? "no type")
    /// for try await chunk in response.body { try file.write(contentsOf: chunk) }
    /// ```
    ///
    /// The ``RetryPolicy`` applies until then: an attempt that fails after its head has been returned is not repeated.
    /// A response that is an error is thrown with its body, unless ``RequestOptions/validation`` accepts it. An
    /// accepted response that could be followed by another attempt is returned when its body has been read, of at most
    /// ``RequestOptions/maxErrorBodySize`` bytes.
    ///
    /// While the body is not read, the peer waits, as ``RequestPublisher`` describes. The exchange is aborted when the
    /// last copy of the body and of its iterators is released, and when the task that waits for a chunk is cancelled.
    /// The timeouts apply until the end of the body. Each chunk is read once: all iterations share the exchange, and
    /// tasks that wait at the same time are served in order. The `publisher` of the body delivers its chunks as a
    /// stream, which can be the body of another request.
    ///
    /// - Throws: ``HTTPError``, also while the body is read; when the task is cancelled, one whose reason is
    ///   ``HTTPError/Reason/cancelled``.
    public func streamedResponse(
        for request: HTTPRequest
    ) async throws(HTTPError) -> HTTPResponse<some AsyncSequence<Data, HTTPError> & Sendable> {
        let plan = RequestPlan(request, client: self, bodyUse: .handOver)
        var events = RequestPublisher(plan: plan, decode: { _ in }).values.makeAsyncIterator()
        while let event = try await events.next() {
            if case .head(let head) = event { return head.replacingBody(ResponseChunks(events: events)) }
        }
        // Each response has a head.
        throw HTTPError(.cancelled, request: plan.summary)
    }
}

/// The body of a response that has been handed over. It is an iterator of its own, of which all copies share the
/// exchange.
// Safe because tasks that wait for events at the same time are served in order.
private struct ResponseChunks: AsyncSequence, AsyncIteratorProtocol, @unchecked Sendable {
    typealias Element = Data
    typealias Failure = HTTPError

    var events: AsyncTypedThrowingPublisher<RequestPublisher<Void>>.Iterator

    func makeAsyncIterator() -> ResponseChunks { self }

    mutating func next() async throws(HTTPError) -> Data? { try await next(isolation: #isolation) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> Data? {
        while let event = try await events.next(isolation: actor) {
            if case .chunk(let chunk) = event { return chunk }
        }
        return nil
    }
}

extension HTTPClient {
    /// Returns a request as a stream of events. The response's body is delivered in chunks and never collected;
    /// ``chunks(for:)`` delivers it alone.
    ///
    /// The final response has no body. A response that is an error fails the stream; the error contains its body up to
    /// ``RequestOptions/maxErrorBodySize``.
    public func events(for request: HTTPRequest) -> RequestPublisher<Void> {
        RequestPublisher(plan: RequestPlan(request, client: self, bodyUse: .deliver), decode: { _ in })
    }

    /// Returns the body of the response to a request, in chunks as they are received.
    ///
    /// ```swift
    /// for try await line in client.chunks(for: HTTPRequest(.get, "/log")).lines().values { print(line) }
    /// ```
    ///
    /// **Demand** Nothing is sent before there is demand. Each chunk consumes one unit of demand; without demand, the
    /// peer waits.
    /// **Completion** After the last chunk, or with an ``HTTPError``. A response that is an error fails the stream
    /// before its first chunk.
    /// **Cancellation** Ends the exchange.
    /// **Threads** Chunks are delivered serially, on a thread of the system's. A subscriber may block it.
    public func chunks(for request: HTTPRequest) -> some Publisher<Data, HTTPError> {
        events(for: request).compactMap { event in
            if case .chunk(let chunk) = event { chunk } else { nil }
        }
    }

    /// Returns a call as a stream of events. The response's body is collected up to a limit and decoded, and no chunk
    /// is delivered.
    public func events<Call: Endpoint>(for endpoint: Call) -> RequestPublisher<Call.Response> {
        let configuration = configuration
        return RequestPublisher(plan: plan(for: endpoint), decode: { try configuration.decode($0, from: endpoint) })
    }

    /// Returns a publisher of a call's decoded value alone: the stream of ``value(for:)``.
    ///
    /// Demand, cancellation and threads are those of ``RequestPublisher``; it delivers one value.
    public func publisher<Call: Endpoint>(for endpoint: Call) -> some Publisher<Call.Response, HTTPError> {
        events(for: endpoint).responses.map(\.body)
    }

    /// Returns a publisher of a call's decoded response alone: the stream of `response(for: endpoint)`.
    ///
    /// Demand, cancellation and threads are those of ``RequestPublisher``; it delivers one response.
    public func responsePublisher<Call: Endpoint>(
        for endpoint: Call
    ) -> some Publisher<HTTPResponse<Call.Response>, HTTPError> {
        events(for: endpoint).responses
    }

    /// Returns a publisher of the response to a request, with its body undecoded, collected up to
    /// ``RequestOptions/maxBodySize``: the stream of `response(for:)`.
    ///
    /// Demand, cancellation and threads are those of ``RequestPublisher``; it delivers one response.
    public func responsePublisher(for request: HTTPRequest) -> some Publisher<HTTPResponse<Data>, HTTPError> {
        RequestPublisher(plan: RequestPlan(request, client: self, bodyUse: .collect), decode: \.body).responses
    }

    func plan(for endpoint: some Endpoint) -> RequestPlan {
        do throws(HTTPError) {
            let request = try endpoint.makeRequest(using: configuration.coders)
            let exchangesCredentials = configuration.authorizer?.provider.exchangesCredentials(endpoint) == true
            return RequestPlan(request, client: self, bodyUse: .collect, confinesRedirects: exchangesCredentials)
        } catch {
            return RequestPlan(failing: error, client: self, bodyUse: .collect)
        }
    }
}

extension HTTPClient.Configuration {
    /// Decodes a response for an endpoint, and passes it to the authorization if it contains credentials for it.
    func decode<Call: Endpoint>(_ response: HTTPResponse<Data>, from endpoint: Call) throws -> Call.Response {
        let decoder = endpoint.responseDecoder(or: decoder(for: response))
        let value = try endpoint.decode(response, using: decoder)
        if let authorizer {
            try authorizer.capture(response.replacingBody(value), from: endpoint) {
                response.replacingBody(try endpoint.decode(response, using: decoder))
            }
        }
        return value
    }

    /// Returns the decoder of a successful response's value.
    private func decoder(for response: HTTPResponse<Data>) -> any DataDecoder {
        let decoder = coders.decoder(for: response)
        return envelope.isEmpty ? decoder : decoder.unwrapping(envelope)
    }
}

extension RequestPublisher {
    /// A publisher of the response alone.
    fileprivate var responses: some Publisher<HTTPResponse<Value>, HTTPError> {
        compactMap { event in
            if case .response(let response) = event { response } else { nil }
        }
    }
}
