/// An observer of a client's requests, for logs, metrics and traces.
///
/// ```swift
/// final class Counter: EventMonitor {
///     let bytes = Atomic<Int64>(0)
///
///     func requestEnded(
///         _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
///         metrics: HTTPRequest.Metrics
///     ) {
///         bytes.add(metrics.bytesReceived, ordering: .relaxed)
///     }
/// }
///
/// var configuration = HTTPClient.Configuration()
/// configuration.monitors = [Counter(), LogMonitor { print($0) }]
/// ```
///
/// A request is one subscription to its stream. A monitor is called in order for its start, for the stages of its
/// exchanges, for each event before its delivery, and for its end, one call after the other: the end by a cancellation
/// during a call is reported after that call, by its thread. No lock is held during a call. A monitor runs on the
/// threads that deliver the events, the transport's included, and must return quickly.
///
/// Every call has the task-local values of the subscription: those of the task or thread that subscribed to the stream
/// or made the `async` call. Requests that share an exchange have the values of the one that started it.
public protocol EventMonitor: Sendable {
    /// Called on the first demand for a request.
    func requestStarted(_ request: MonitoredRequest)

    /// Called before an event is delivered to a request's subscriber. The response's body is the collected one, not yet
    /// decoded.
    func request(_ request: MonitoredRequest, received event: RequestEvent<Data>)

    /// Called when an exchange of a request reaches a stage.
    ///
    /// An exchange is one request as it is sent, and its response; redirects and retries are exchanges of their own. It
    /// ends before the next one of the request starts, so ``MonitoredRequest/id`` identifies it meanwhile. Calls are in
    /// the order of ``MonitoredRequest/Stage``: the first is ``MonitoredRequest/Stage/started``, the
    /// last, made once, is ``MonitoredRequest/Stage/ended(_:)``. That call comes before
    /// ``requestEnded(_:with:metrics:)``.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - exchange: The exchange. It has been measured at its end only, if at all.
    ///   - stage: The stage.
    func request(
        _ request: MonitoredRequest, exchange: HTTPRequest.Metrics.Exchange, reached stage: MonitoredRequest.Stage)

    /// Called at the end of a request, after the response has been decoded.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - completion: The completion; a cancellation is a failure whose reason is ``HTTPError/Reason/cancelled``.
    ///   - metrics: The request's metrics.
    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics)
}

extension EventMonitor {
    public func requestStarted(_ request: MonitoredRequest) {}
    public func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {}
    public func request(
        _ request: MonitoredRequest, exchange: HTTPRequest.Metrics.Exchange, reached stage: MonitoredRequest.Stage
    ) {}
    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {}
}

/// A description of a request for monitors.
public struct MonitoredRequest: Hashable, Identifiable, Sendable {
    /// The number of the request, unique in the process, in the order of subscriptions. It is equal to
    /// ``HTTPRequest/Context/id``.
    public let id: Int
    /// The method of the first request.
    public let method: HTTPMethod
    /// The URL of the first request, without credentials and other secrets (``HTTPClient/Configuration/redaction``).
    public let url: String

    /// A stage of an exchange, for monitors.
    public enum Stage: Sendable {
        /// The request is about to be passed to the transport, or begins to wait for a permit
        /// (<doc:ProtectingServers>).
        case started
        /// There is a connection, on which the request is about to be sent, if the transport tells: one that was open
        /// before, or a new one. The remote address is numeric, with a colon and the port; `nil` if it is unknown.
        case connected(isReused: Bool, remoteAddress: String?)
        /// The head of the response has arrived, whatever its status. A head of a redirect is told here only.
        case head(HTTPResponse<Void>)
        /// The exchange has ended: with a whole response, or with a failure. The failure is
        /// ``HTTPError/Reason/cancelled`` if the client broke it off, also because it does not need the rest of the
        /// response.
        case ended(HTTPError.Reason?)
    }
}
