/// A receiver of a request's events, with the response undecoded.
protocol EventSink {
    /// The events that the sink uses. The response and the completion are always delivered.
    var filter: EventFilter { get }
    /// Calls ``RequestHandle/deliver()`` of a subscription on the thread on which the sink receives its events. The
    /// calling thread may be the transport's: a sink that runs a subscriber's code uses another.
    func scheduleDelivery(of subscription: any RequestHandle)
    /// Returns whether a request is to be sent. Called before each exchange of a request that may be shared, outside of
    /// locks. If not, another exchange serves its subscribers.
    func admits(_ request: TransportRequest) -> Bool
    /// Delivers an event.
    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand
    /// Delivers the completion.
    func receive(completion: Subscribers.Completion<HTTPError>)
}

extension EventSink {
    func admits(_ request: TransportRequest) -> Bool { true }
}

/// A subscription to a request.
protocol RequestHandle: AnyObject, Subscription, Sendable {
    /// Delivers the pending events. Called once for each ``EventSink/scheduleDelivery(of:)``.
    func deliver()
}

extension RequestPlan {
    /// Creates a subscription to the planned request, or to an exchange that it shares with identical requests.
    func subscription(_ downstream: any EventSink) -> any RequestHandle {
        guard sharing != nil else { return RequestSubscription(self, downstream: downstream) }
        return SharedSubscription(self, downstream: downstream)
    }
}

/// A response whose body cannot be decoded.
struct UndecodableResponse: Error {
    let error: any Error
    let response: HTTPResponse<Data>

    /// The reason for the failure. An error that is a reason already, such as one of an authorization provider, is
    /// kept.
    var reason: HTTPError.Reason {
        error as? HTTPError.Reason ?? .decoding(error, response)
    }
}

extension HTTPResponse<Data> {
    /// Returns the response with its body decoded.
    func decoded<Decoded>(
        by decode: (HTTPResponse<Data>) throws -> Decoded
    ) throws(UndecodableResponse) -> HTTPResponse<Decoded> {
        do {
            return replacingBody(try decode(self))
        } catch {
            throw UndecodableResponse(error: error, response: self)
        }
    }
}

extension RequestEvent<Data> {
    /// Returns the event with the body of a response decoded.
    func decoded<Decoded>(
        by decode: (HTTPResponse<Data>) throws -> Decoded
    ) throws(UndecodableResponse) -> RequestEvent<Decoded> {
        switch self {
        case .attempt(let attempt): .attempt(attempt)
        case .uploadProgress(let progress): .uploadProgress(progress)
        case .head(let head): .head(head)
        case .downloadProgress(let progress): .downloadProgress(progress)
        case .chunk(let chunk): .chunk(chunk)
        case .retrying(let retry): .retrying(retry)
        case .response(let response): .response(try response.decoded(by: decode))
        }
    }
}
