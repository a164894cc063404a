/// The state of a download at one moment, for snapshots.
struct DownloadStatus: SeriesStatus {
    let plan: RequestPlan
    let path: String
    let phase: HTTPClient.Snapshot.Request.Phase
    let attempt: Int
    let receivedBytes: Int64

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        // Without a request, there is nothing to register.
        guard case .success(let request) = plan.request else { return }
        snapshot.requests.append(
            HTTPClient.Snapshot.Request(
                callSite: callSite, method: plan.summary.method, url: plan.summary.url,
                origin: request.lazyURL.origin, path: path, phase: queueStatus.phase(ofRunning: phase), age: age,
                attempt: attempt, hedges: 0, sentBytes: 0, receivedBytes: receivedBytes))
    }
}
