/// The state of a feed at one moment, for snapshots.
struct FeedStatus: SeriesStatus {
    var phase = HTTPClient.Snapshot.ActiveFeed.Phase.connecting
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

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        let phase: HTTPClient.Snapshot.ActiveFeed.Phase =
            switch queueStatus {
            case .waiting: .queued
            case .running: phase
            case .ending: .ending
            }
        snapshot.feeds.append(
            HTTPClient.Snapshot.ActiveFeed(
                callSite: callSite, method: request.method, url: request.url, phase: phase, age: age,
                connections: connections, elements: elements, position: position?.printable))
    }
}
