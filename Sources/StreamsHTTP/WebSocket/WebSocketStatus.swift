/// The state of a WebSocket at one moment, for snapshots.
struct WebSocketStatus: SeriesStatus {
    private let request: HTTPError.RequestSummary
    private let isOpen: Bool
    private let isClosing: Bool
    private let messageCount: Int

    init(_ request: HTTPError.RequestSummary, isOpen: Bool, isClosing: Bool, messageCount: Int) {
        self.request = request
        self.isOpen = isOpen
        self.isClosing = isClosing
        self.messageCount = messageCount
    }

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        let phase: HTTPClient.Snapshot.ActiveWebSocket.Phase =
            switch queueStatus {
            case .waiting: .queued
            case .running: isOpen ? .open : isClosing ? .closing : .opening
            case .ending: .ending
            }
        snapshot.webSockets.append(
            HTTPClient.Snapshot.ActiveWebSocket(
                callSite: callSite, url: request.url, phase: phase, age: age, messages: messageCount))
    }
}
