extension HTTPRequest {
    /// The progress of an `async` call: that of the request's body and that of the response's.
    ///
    /// ```swift
    /// let video = try await client.value(for: AddVideo(file: file)) { progress in
    ///     if progress.direction == .upload { bar.value = progress.upload?.fraction ?? 0 }
    /// }
    /// ```
    public struct Progress: Hashable, Sendable {
        /// The direction of the transfer that has progressed.
        public let direction: TransferProgress.Direction
        /// The progress of the request's body; `nil` before its first bytes are sent, and if it is empty.
        public let upload: TransferProgress?
        /// The progress of the response's body; `nil` before its first bytes are received.
        public let download: TransferProgress?

        /// Creates a value, for previews and tests.
        ///
        /// - Parameters:
        ///   - direction: The direction of the transfer that has progressed.
        ///   - upload: The progress of the request's body.
        ///   - download: The progress of the response's body.
        public init(_ direction: TransferProgress.Direction, upload: TransferProgress?, download: TransferProgress?) {
            self.direction = direction
            self.upload = upload
            self.download = download
        }

        /// The bytes of both directions. They never fall within an attempt. The total is unknown before the download
        /// begins.
        public var transfer: TransferProgress {
            let sent = upload?.completed ?? 0
            // The upload ends when the download begins, even if the server did not read all of it.
            let total = direction == .download ? download?.total.map { sent.addingClamped($0) } : nil
            return TransferProgress(
                completed: sent.addingClamped(download?.completed ?? 0), total: total,
                decoded: (upload?.decoded ?? 0).addingClamped(download?.decoded ?? 0))
        }

        /// The completed fraction of both directions, from 0 to 1; `nil` if the total is unknown.
        public var fraction: Double? { transfer.fraction }
    }
}

extension HTTPRequest.Progress {
    /// The state from which the progress of both directions is made.
    struct State: Sendable {
        private var upload: TransferProgress?

        mutating func receive(_ progress: TransferProgress, of direction: TransferProgress.Direction)
            -> HTTPRequest.Progress
        {
            // A retry sends the body again, and its download is yet to come.
            if direction == .upload { upload = progress }
            return HTTPRequest.Progress(direction, upload: upload, download: direction == .download ? progress : nil)
        }
    }
}

extension RequestPublisher {
    /// The progress of both directions alone.
    ///
    /// ```swift
    /// for try await progress in client.events(for: AddVideo(file: file)).progress.values {
    ///     bar.value = progress.fraction
    /// }
    /// ```
    ///
    /// Demand, completion, cancellation and threads are those of this publisher: each subscription is a request of its
    /// own, and a failure of the request is delivered.
    public var progress: some Publisher<HTTPRequest.Progress, HTTPError> {
        scan((state: HTTPRequest.Progress.State(), latest: HTTPRequest.Progress?.none)) { last, event in
            var next = last
            switch event {
            case .uploadProgress(let progress): next.latest = next.state.receive(progress, of: .upload)
            case .downloadProgress(let progress): next.latest = next.state.receive(progress, of: .download)
            case .attempt, .head, .chunk, .retrying, .response: next.latest = nil
            }
            return next
        }.compactMap(\.latest)
    }
}

extension Int64 {
    /// Returns a sum. A server may declare any length, so it may be too large.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
