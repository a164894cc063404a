/// The state of a series of pages at one moment, for snapshots.
struct PageStatus: SeriesStatus {
    /// The request of the page under way, or of the next one.
    let request: HTTPError.RequestSummary
    let isRequesting: Bool
    let pageCount: Int

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        snapshot.pages.append(
            HTTPClient.Snapshot.ActivePages(
                callSite: callSite, method: request.method, url: request.url, isRequesting: isRequesting, age: age,
                pages: pageCount))
    }
}
