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
