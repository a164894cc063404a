/// A cold publisher of the events of a download. Every subscription downloads the file.
///
/// ```
///        resuming──progress──retrying──resuming──progress──finished─|
/// ```
///
/// While it runs, the file is named `NAME.streams-part`, with a record of its contents in `NAME.streams-part.json`.
/// Both remain when the download fails, is cancelled or its process ends, and the next download from the same URL to
/// the same path continues there. A download fails if another program has put a file there. The complete and verified
/// file replaces `NAME` by a renaming, after it has reached the disk. If `NAME` has the expected checksum, or the contents
/// that the server still has, it is left as it is. <doc:Downloads> describes all cases.
///
/// **Demand** Nothing is sent before there is demand. From then on, the file is written whatever the demand. Progress
/// is conflated, and a retry begins after ``Download/Event/retrying(_:)`` has been delivered.
/// **Completion** After ``Download/Event/finished(_:)``, or with an ``HTTPError``.
/// **Cancellation** Ends the exchange. Nothing is delivered afterwards. If another thread is writing, it closes the
/// partial file after that; until then, another download to the same path fails.
/// **Threads** Events are delivered serially, on a system thread that also writes the file. A subscriber may block it,
/// and the server then waits. Another thread verifies the file meanwhile.
public struct Download: Publisher, Sendable {
    public typealias Output = Event
    public typealias Failure = HTTPError

    let client: HTTPClient
    let request: HTTPRequest
    let path: String
    let options: DownloadOptions

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

extension Download {
    /// An event of a download. The events come in this order:
    ///
    /// ```
    /// ((startingOver | resuming)? progress* retrying)*
    ///  (startingOver | resuming)? progress*  finished
    /// ```
    ///
    /// or one failure at any point. Progress is conflated: a slow subscriber receives the newest.
    public enum Event: Sendable {
        /// The file is continued after this number of bytes, which an earlier call or attempt has left. If it was complete
        /// already, all of it is there.
        case resuming(from: Int64)
        /// The contents that an earlier call or attempt has left are discarded.
        case startingOver(Restart)
        /// More of the file was written. `completed` is the size of the file, with the bytes that were resumed.
        case progress(TransferProgress)
        /// The attempt failed. Another follows after the delay, which begins when this event has been delivered.
        case retrying(HTTPRequest.Retry)
        /// The file is complete and verified, and has its name.
        case finished(File)
    }
}

extension Download {
    /// The reason for which a download discards the contents of a partial file.
    public enum Restart: String, Sendable {
        /// The record of the contents is of another URL or another version, or it does not fit them.
        case unknownContents = "unknown-contents"
        /// The server had no strong validator for the contents.
        case notResumable = "not-resumable"
        /// The server has other contents now.
        case changed
        /// The server sends the whole, although the contents have not changed.
        case rangeIgnored = "range-ignored"
        /// The server sent another range than the requested one, or has none there.
        case rangeMismatch = "range-mismatch"
    }
}

extension Download {
    /// A complete file, the result of a download.
    public struct File: Sendable {
        /// The path of the file.
        public let path: String
        /// The size of the file in bytes.
        public let size: Int64
        /// The number of bytes of content that were received. It is less than ``size`` if an earlier call had left a
        /// part of the file, and may be greater if the download started over.
        public let receivedBytes: Int64
        /// Whether the file was complete before the download, which has left it as it was: it has the checksum of the
        /// options, or the server's contents have not changed since an earlier download.
        public let wasComplete: Bool
        /// Whether the file was verified, against a checksum of the options or a digest of the server's.
        public let isVerified: Bool
        /// The head of the last response, with its trailers; `nil` if nothing was sent, because the file had the checksum
        /// of the options. Its status may be 304 or 416 if nothing of the file was missing.
        public let response: HTTPResponse<Void>?
    }
}

extension Publisher {
    /// Tracks a download in a progress group, from its subscription to its end. Events pass unchanged.
    ///
    /// The bytes that an earlier download has left count as completed, but not towards the group's rate. Operators such
    /// as `retry` are put behind this one. Demand, completion, cancellation and threads are as for requests.
    ///
    /// - Parameters:
    ///   - group: The group that the download joins.
    ///   - length: The expected length in bytes, if known. A length that the server declares replaces it.
    public func tracking(
        in group: ProgressGroup, expecting length: Int64? = nil
    ) -> some Publisher<Output, Failure> where Output == Download.Event, Self: Sendable {
        tracking(.download, in: group, expecting: length) { $0.observe($1) }
    }
}

extension TrackedRequest {
    /// Updates the group with an event of a download. Called serially.
    fileprivate func observe(_ event: Download.Event) {
        switch event {
        case .resuming(let offset): resume(from: offset)
        case .startingOver: update(.nothing, total: expected)
        case .progress(let progress): update(progress, total: progress.total ?? expected)
        case .retrying: break
        case .finished: finish(isSuccess: true)
        }
    }
}
