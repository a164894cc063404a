/// The state of a feed at one moment, for snapshots.
struct FeedStatus {
    var phase = HTTPClient.Snapshot.Feed.Phase.connecting
    /// The time of the first demand.
    var start = Duration.zero
    /// The request of the latest connection; as it was given before the first one.
    private var request: HTTPError.RequestSummary
    private var connections = 0
    private var elements = 0
    private var position: String?

    init(_ request: HTTPError.RequestSummary) {
        self.request = request
    }

    mutating func connect(_ request: HTTPError.RequestSummary) {
        self.request = request
        phase = .connecting
        connections += 1
    }

    /// Records that an event is delivered.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - position: The position after it.
    mutating func deliver<Element>(_ event: Feed<Element>.Event, position: String?) {
        switch event {
        case .open: phase = .open
        case .element: elements += 1
        default: break
        }
        self.position = position
    }

    /// Returns the row of a snapshot.
    func row(
        _ callSite: CallSite?, _ queueStatus: RequestQueue.Status, now: Duration
    ) -> HTTPClient.Snapshot.Feed {
        let phase: HTTPClient.Snapshot.Feed.Phase =
            switch queueStatus {
            case .waiting: .queued
            case .running: phase
            case .ending: .ending
            }
        return HTTPClient.Snapshot.Feed(
            callSite: callSite, method: request.method, url: request.url, phase: phase,
            age: max(now - start, .zero), connections: connections, elements: elements, position: position?.printable)
    }
}
