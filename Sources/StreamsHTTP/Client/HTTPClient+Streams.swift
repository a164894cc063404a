extension HTTPClient {
    /// A request as a stream of events, with its body delivered in chunks and never collected.
    ///
    /// The response that ends it has no body; one that is an error fails the stream, and carries its body up to
    /// ``RequestOptions/maxErrorBodySize``.
    public func events(for request: HTTPRequest) -> RequestPublisher<Void> {
        RequestPublisher(plan: RequestPlan(request, client: self, bodyUse: .deliver), decode: { _ in })
    }

    /// A call as a stream of events, with its body collected up to a limit and decoded.
    public func events<Call: Endpoint>(for endpoint: Call) -> RequestPublisher<Call.Response> {
        let configuration = configuration
        return RequestPublisher(plan: plan(for: endpoint), decode: { try configuration.decode($0, from: endpoint) })
    }

    /// A call's decoded value alone.
    ///
    /// **Demand** Nothing is sent before something is asked for; one value answers it.
    /// **Completion** After the value, or with an ``HTTPError``.
    /// **Cancellation** Ends the exchange.
    /// **Threads** The value is delivered on a thread of the system's.
    public func publisher<Call: Endpoint>(for endpoint: Call) -> some Publisher<Call.Response, HTTPError> {
        events(for: endpoint).compactMap { event in
            if case .response(let response) = event { response.body } else { nil }
        }
    }

    func plan(for endpoint: some Endpoint) -> RequestPlan {
        do throws(HTTPError) {
            let request = try HTTPRequest(endpoint, coders: configuration.coders)
            return RequestPlan(request, client: self, bodyUse: .collect)
        } catch {
            return RequestPlan(failing: error, client: self, bodyUse: .collect)
        }
    }
}

extension HTTPClient.Configuration {
    /// What an endpoint makes of a response, of which the authorization takes what is meant for it.
    func decode<Call: Endpoint>(_ response: HTTPResponse<Data>, from endpoint: Call) throws -> Call.Response {
        let decoder = endpoint.decoder ?? coders.decoder(for: response)
        let value = try endpoint.decode(response, using: decoder)
        if let authorizer {
            try authorizer.capture(response.replacingBody(value), from: endpoint) {
                response.replacingBody(try endpoint.decode(response, using: decoder))
            }
        }
        return value
    }
}
