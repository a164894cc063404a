/// The state of a download at one moment, for snapshots.
struct DownloadStatus {
    let path: String
    /// The call site of the checkpoint that has subscribed, if there is one.
    private let callSite = CallSite.current
    /// The time of the first demand.
    var start = Duration.zero
    private var phase = HTTPClient.Snapshot.Request.Phase.preparing
    private var attempt = 0
    private var receivedBytes: Int64 = 0

    init(path: String) {
        self.path = path
    }

    mutating func update(phase: HTTPClient.Snapshot.Request.Phase, attempt: Int, progress: TransferProgress) {
        self.phase = phase
        self.attempt = attempt
        receivedBytes = progress.completed
    }

    /// Returns the row of a snapshot; `nil` if the request could not be planned.
    func row(
        of plan: RequestPlan, _ queueStatus: RequestQueue.Status, now: Duration
    ) -> HTTPClient.Snapshot.Request? {
        guard case .success(let request) = plan.request else { return nil }
        return HTTPClient.Snapshot.Request(
            callSite: callSite, method: plan.summary.method, url: plan.summary.url, origin: request.lazyURL.origin,
            path: path, phase: queueStatus.phase(ofRunning: phase), age: max(now - start, .zero), attempt: attempt,
            hedges: 0, sentBytes: 0, receivedBytes: receivedBytes)
    }
}
