/// Is told of a client's requests: for logs, metrics and traces.
///
/// ```swift
/// final class Counter: EventMonitor {
///     let bytes = Atomic<Int64>(0)
///
///     func requestEnded(
///         _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: RequestMetrics
///     ) {
///         bytes.add(metrics.bytesReceived, ordering: .relaxed)
///     }
/// }
///
/// var configuration = HTTPClient.Configuration()
/// configuration.monitors = [Counter(), LogMonitor { print($0) }]
/// ```
///
/// A request is one subscription to its stream. What is told of it is told in order: its start, its events as they are
/// delivered, its end; only an end by cancellation may come while an event is being told on another thread. No lock is
/// held meanwhile. A monitor runs on the threads that carry the events, the transport's included, and must be quick.
public protocol EventMonitor: Sendable {
    /// Something has been asked of a request for the first time.
    func requestStarted(_ request: MonitoredRequest)

    /// A request's subscriber is about to get an event. The response's body is what was collected, not yet decoded.
    func request(_ request: MonitoredRequest, received event: RequestEvent<Data>)

    /// A request is over. The `async` calls decode afterwards: what fails there is not told.
    ///
    /// - Parameters:
    ///   - request: Which one.
    ///   - completion: How it ended; a cancellation is a failure whose reason is ``HTTPError/Reason/cancelled``.
    ///   - metrics: What it has cost.
    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: RequestMetrics)
}

extension EventMonitor {
    public func requestStarted(_ request: MonitoredRequest) {}
    public func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) {}
    public func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: RequestMetrics
    ) {}
}

/// A request as monitors know it.
public struct MonitoredRequest: Hashable, Identifiable, Sendable {
    /// Tells the requests of a process apart, in the order in which they were subscribed to. Interceptors know it as
    /// ``RequestContext/id``.
    public let id: Int
    /// The method that was asked for first.
    public let method: HTTPMethod
    /// The URL that was asked for first, without credentials.
    public let url: String
}
