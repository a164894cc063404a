/// Requests that are made one after the other, such as the connections of a feed or the attempts at a download, or the
/// request that opens a WebSocket: decides what follows.
///
/// A value that its ``SeriesSubscription`` owns. Its methods may call a program's code, so they are called outside of
/// locks, by one thread at a time. The subscription registers the series with its queue at the first demand, reads from
/// its requests, and delivers its output.
protocol RequestSeries<Event>: SendableMetatype {
    associatedtype Event: Sendable
    associatedtype Status: SeriesStatus

    /// The name of the subscription.
    static var name: String { get }
    /// Whether the methods may block, for example because they read and write files. They are then called on threads of
    /// the system's alone.
    static var mayBlock: Bool { get }

    var client: HTTPClient { get }
    /// The queue in which the series has its place.
    var queue: RequestQueue { get }
    /// The time for the whole series, from the first demand on; `nil` is no limit.
    var timeout: Duration? { get }
    /// The status at this moment, for snapshots.
    var status: Status { get }
    /// The events and the completion to deliver. The subscription adds the demand, and takes what it delivers.
    var output: SeriesOutput<Event> { get set }

    /// Begins the series at the first demand. If this completes it, it is not registered with its queue.
    ///
    /// - Parameter makeSubmit: Returns a closure that handles an input which comes from neither a request nor a timer. Any
    ///   thread may call it. Counting the references of a subscription with such a closure takes longer.
    mutating func begin(_ makeSubmit: () -> @Sendable (SeriesInput) -> Void)
    mutating func handle(_ input: SeriesInput)
    /// Returns the next action; `nil` if the series waits for an input, or for the delivery of its output. Then the status
    /// has not changed.
    mutating func nextAction() -> SeriesAction?
    /// Updates the status before an event is delivered.
    mutating func willDeliver(_ event: Event)
    /// Releases what the series holds open. The last call.
    func close()
}

extension RequestSeries {
    var timeout: Duration? { nil }
    mutating func begin(_ makeSubmit: () -> @Sendable (SeriesInput) -> Void) {}
    mutating func willDeliver(_ event: Event) {}
}

/// The status of a series at one moment.
protocol SeriesStatus: Sendable {
    /// Adds the series to a snapshot.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot.
    ///   - callSite: The call site of the checkpoint that has subscribed, if there is one.
    ///   - queueStatus: The status in the queue.
    ///   - age: The time since the first demand.
    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration)
}

/// An input for a series, in the order of occurrence.
enum SeriesInput {
    /// The client has admitted the series.
    case admitted
    /// An event of the request under way.
    case event(RequestEvent<Data>)
    /// The completion of the request under way.
    case completion(Subscribers.Completion<HTTPError>)
    /// The wait is over.
    case waited
    /// The time for the whole series is over.
    case expired
    /// The time of the reminder has come.
    ///
    /// - isReading: Whether an event of the request under way has been requested and has not arrived.
    case reminded(isReading: Bool)
    /// Work that the series has another thread do may be done.
    case worked
    /// The program closes what is open.
    case close
    /// The client ends what has no end of its own.
    case finish
    case fail(HTTPError.Reason)
}

/// An action for the subscription to perform, before it asks for the next one.
enum SeriesAction {
    /// Start a request in place of what is under way.
    ///
    /// - decode: A closure that decodes the response and keeps the value, called before the request ends: an error that
    ///   it throws fails the request. `nil` if the response is used as it is.
    case send(RequestPlan, decode: (@Sendable (HTTPResponse<Data>) throws -> Void)? = nil)
    /// Request the next event of the request under way. Ignored until the one that was requested before has arrived.
    case read
    /// Wait, in place of what is under way.
    case wait(Duration)
    /// Set the reminder, in place of an earlier one.
    case remind(Duration)
    /// Cancel what is under way.
    case stop
}
