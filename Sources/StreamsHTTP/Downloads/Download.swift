/// A cold publisher of the events of a download. Every subscription downloads the file.
///
/// ```
///        resuming──progress──retrying──resuming──progress──finished─|
/// ```
///
/// While it runs, the file is named `NAME.streams-part`, with a record of its contents in `NAME.streams-part.json`.
/// Both remain when the download fails, is cancelled or its process ends, and the next download from the same URL to
/// the same path continues there. A download fails if another program has put a file there. The complete and verified
/// file replaces `NAME` by a renaming, after it has reached the disk. <doc:Downloads> describes all cases.
///
/// **Demand** Nothing is sent before there is demand. From then on, the file is written whatever the demand. Progress
/// is conflated, and a retry begins after ``Download/Event/retrying(_:)`` has been delivered.
/// **Completion** After ``Download/Event/finished(_:)``, or with an ``HTTPError``.
/// **Cancellation** Ends the exchange. Nothing is delivered afterwards. If another thread is writing, it closes the
/// partial file after that; until then, another download to the same path fails.
/// **Threads** Events are delivered serially, on a system thread that also writes the file. A subscriber may block it,
/// and the server then waits.
public struct Download: Publisher, Sendable {
    public typealias Output = Event
    public typealias Failure = HTTPError

    let client: HTTPClient
    let request: HTTPRequest
    let path: String
    let options: Options

    public func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == Event, Downstream.Failure == HTTPError {
        subscriber.receive(
            subscription: SeriesSubscription(DownloadSeries(self), downstream: AnySubscriber(subscriber)))
    }
}

extension Download {
    /// The events as an asynchronous sequence, which throws ``HTTPError``.
    ///
    /// Each call of `next()` requests one event. When the iterating task is cancelled, the download is cancelled, and
    /// the iteration throws an error whose reason is ``HTTPError/Reason/cancelled``.
    public var values: AsyncTypedThrowingPublisher<Self> {
        AsyncTypedThrowingPublisher(self, cancellation: HTTPError(.cancelled, request: summary))
    }

    private var summary: HTTPError.RequestSummary { request.summary(client.configuration.redaction) }
}

extension Download: CustomReflectable {
    /// The request's method and URL, without secrets, and the path.
    public var customMirror: Mirror {
        Mirror(self, children: ["method": summary.method, "url": summary.url, "path": path])
    }
}
