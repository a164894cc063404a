extension HTTPClient {
    /// Returns the download of a response's body to a file. It resumes what an earlier one has left, and the file
    /// appears only when it is complete.
    ///
    /// ```swift
    /// for try await event in client.download(for: HTTPRequest(.get, "/image.iso"), to: "image.iso").values {
    ///     if case .progress(let progress) = event { print(progress.fraction ?? 0) }
    /// }
    /// ```
    ///
    /// The request's ``RetryPolicy`` applies: each retry resumes, too. A response without success is a failure, and its
    /// body is not written.
    ///
    /// - Parameters:
    ///   - request: The request. Only a GET is resumed. It has no `Range` of its own.
    ///   - path: The path of the file. An existing file is replaced, unless it is complete already, by its checksum or
    ///     because the server's contents have not changed. A symbolic link is replaced, not followed.
    ///   - options: The options of the download.
    public func download(
        for request: HTTPRequest, to path: String, options: DownloadOptions = DownloadOptions()
    ) -> Download {
        Download(
            client: self, request: request, path: path,
            options: options.merging(defaults: configuration.downloadOptions))
    }

    /// Downloads a response's body to a file, and returns the file: the result of ``download(for:to:options:)``, awaited.
    ///
    /// When it throws, the partial file is closed and can be resumed, also after a cancellation.
    ///
    /// - Parameters:
    ///   - request: The request. Only a GET is resumed. It has no `Range` of its own.
    ///   - path: The path of the file. An existing file is replaced, unless it is complete already, by its checksum or
    ///     because the server's contents have not changed. A symbolic link is replaced, not followed.
    ///   - options: The options of the download.
    ///   - onProgress: Called with the progress of the file, serially, on the thread that writes it.
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func downloadFile(
        for request: HTTPRequest, to path: String, options: DownloadOptions = DownloadOptions(),
        onProgress: @escaping @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws(HTTPError) -> Download.File {
        let awaiter = DownloadAwaiter(onProgress)
        let subscription = SeriesSubscription(
            DownloadSeries(download(for: request, to: path, options: options)), downstream: AnySubscriber(awaiter))
        await withTaskCancellationHandler {
            subscription.request(.unlimited)
            await withUnsafeContinuation { awaiter.end.wait($0) }
        } onCancel: {
            // Unlike `cancel()`, this ends with a completion, after the file has been closed.
            subscription.cancelFromClient()
        }
        return try awaiter.result()
    }
}

/// A subscriber that awaits a file.
private final class DownloadAwaiter: Subscriber, Sendable {
    typealias Input = Download.Event
    typealias Failure = HTTPError

    private let onProgress: @Sendable (TransferProgress) -> Void
    private let state = Locked<Result<Download.File, HTTPError>>(.failure(.cancellation))
    /// Signals the completion.
    let end = TaskSignal()

    init(_ onProgress: @escaping @Sendable (TransferProgress) -> Void) {
        self.onProgress = onProgress
    }

    /// Returns the file, or throws the error that the download failed with.
    func result() throws(HTTPError) -> Download.File {
        try state.withLock { $0 }.get()
    }

    func receive(subscription: any Subscription) {}

    func receive(_ event: Download.Event) -> Subscribers.Demand {
        switch event {
        case .progress(let progress): onProgress(progress)
        case .finished(let file): state.withLock { $0 = .success(file) }
        case .resuming, .startingOver, .retrying: break
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        if case .failure(let error) = completion { state.withLock { $0 = .failure(error) } }
        end.signal()
    }
}
