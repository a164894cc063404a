/// The requests of a download: sends what is missing of the file, attempt after attempt, and decides which events to
/// deliver. A ``DownloadTransfer`` reads and writes the file.
struct DownloadSeries: RequestSeries {
    private enum Phase {
        /// Not yet admitted.
        case queued
        /// The file at the path is compared with the expected checksum.
        case comparing
        /// The next request is to be sent.
        case sending
        case exchanging
        /// The file is complete after this response, and is verified.
        case verifying(HTTPResponse<Void>)
        /// The attempt has failed, and its end is not delivered yet.
        case retrying(after: Duration)
        case waiting
        case over
    }

    static let name = "Download"
    static let mayBlock = true

    let client: HTTPClient
    /// The plan of the download as one request: its policy, its place in the queue, and its errors.
    private let plan: RequestPlan
    private let path: String
    private let transfer: DownloadTransfer
    private var phase = Phase.queued
    var output = SeriesOutput<Download.Event>()
    private var throttle: ProgressThrottle
    /// The head of the response under way, until its body begins.
    private var head: HTTPResponse<Void>?
    /// Whether the request or the wait under way is to be cancelled.
    private var isStopping = false
    private var attempt = 0
    private var firstAttemptTime = Duration.zero

    init(_ download: Download) {
        client = download.client
        path = download.path
        plan = RequestPlan(download.request, client: client, bodyUse: .deliver)
        let url = if case .success(let request) = plan.request { request.lazyURL.text } else { "" }
        transfer = DownloadTransfer(
            download.request, url: url, to: download.path, download.options, maxSize: plan.maxBodySize,
            run: { [clock = client.clock] in clock.runConcurrently($0) })
        throttle = ProgressThrottle(plan.options.progress)
    }

    var queue: RequestQueue { plan.requestQueue }

    var timeout: Duration? { plan.options.timeouts.total }

    var status: DownloadStatus {
        DownloadStatus(
            plan: plan, path: path, phase: displayedPhase, attempt: attempt,
            receivedBytes: transfer.progress.completed)
    }

    mutating func begin(_ makeSubmit: () -> @Sendable (SeriesInput) -> Void) {
        switch plan.request {
        case .success(let request):
            let submit = makeSubmit()
            transfer.notify { submit(.worked) }
            firstAttemptTime = client.clock.now
            if plan.consumesRetries {
                plan.retryTracker?.recordAttempt(request.lazyURL.origin, now: firstAttemptTime)
            }
        case .failure(let error): end(.failure(error))
        }
    }

    func close() {
        transfer.close()
    }

    mutating func handle(_ input: SeriesInput) {
        switch input {
        case .fail(let reason):
            // Events that await demand are dropped, as those of any request.
            output.removeAll()
            fail(reason)
        case _ where output.isOver: break
        case .admitted, .waited: startAttempt()
        case .worked:
            attempting { download throws(HTTPError.Reason) in try download.continueAfterVerification() }
        case .event(let event):
            attempting { download throws(HTTPError.Reason) in try download.handleEvent(event) }
        case .completion(.failure(let error)):
            attempting { download throws(HTTPError.Reason) in try download.handleFailure(error) }
        case .expired:
            guard case .queued = phase else { return fail(.timeout(.total)) }
            let elapsed = max(client.clock.now - firstAttemptTime, .zero)
            fail(.timeout(.queue.during(HTTPRequest.Wait(.slot, elapsed: elapsed))))
        // A download ends by itself.
        case .completion(.finished), .finish, .close, .reminded: break
        }
    }

    mutating func nextAction() -> SeriesAction? {
        if isStopping {
            isStopping = false
            return .stop
        }
        switch phase {
        case .sending:
            phase = .exchanging
            head = nil
            return .send(RequestPlan(download: transfer.nextRequest(), client: client))
        // Whether or not there is demand: the file takes everything.
        case .exchanging: return .read
        case .retrying(let delay) where output.isEmpty:
            phase = .waiting
            return .wait(delay)
        default: return nil
        }
    }

    private var displayedPhase: HTTPClient.Snapshot.ActiveRequest.Phase {
        switch phase {
        case .queued, .comparing: .preparing
        case .sending, .exchanging: .receiving
        case .retrying, .waiting: .waitingForRetry
        case .verifying, .over: .ending
        }
    }
}

// MARK: Attempts

extension DownloadSeries {
    private mutating func startAttempt() {
        attempt += 1
        phase = .comparing
        throttle = ProgressThrottle(plan.options.progress)
        do throws(HTTPError.Reason) {
            if let restart = try transfer.open() { output.append(.startingOver(restart)) }
            try continueAfterVerification()
        } catch {
            fail(error)
        }
    }

    /// Continues if the file under verification is verified. Called when it may be.
    private mutating func continueAfterVerification() throws(HTTPError.Reason) {
        switch phase {
        case .comparing:
            guard let isVerified = transfer.existingIsVerified() else { return }
            if isVerified { try keepExisting(nil) } else { phase = .sending }
        case .verifying(let response):
            guard let file = try transfer.finish(response) else { return }
            finish(file)
        default: break
        }
    }

    private mutating func handleEvent(_ event: RequestEvent<Data>) throws(HTTPError.Reason) {
        switch event {
        case .head(let head):
            // The head of an error, too. Only the body of another response is delivered.
            self.head = head
        case .chunk(let chunk):
            guard try openResponse() else { return }
            try transfer.receive(chunk)
            reportProgress()
        case .response(let response):
            guard try openResponse() else { return }
            try verify(response.replacingBody(()))
        case .attempt, .uploadProgress, .downloadProgress, .retrying: break
        }
    }

    private mutating func handleFailure(_ error: HTTPError) throws(HTTPError.Reason) {
        if let head = error.response?.replacingBody(()), let opening = transfer.receive(error: head) {
            try open(opening, head)
            if case .rest = opening { try verify(head) }
            return
        }
        decideOnRetry(error.of(attempt: attempt))
    }

    /// Begins to read a response that is not an error, unless that has been done.
    ///
    /// - Returns: Whether the response is of use. If not, another request is to be sent.
    private mutating func openResponse() throws(HTTPError.Reason) -> Bool {
        guard let head = head.take() else { return true }
        // An interceptor has replaced an error by a response. Its body is not the file.
        guard head.status.isSuccess else { throw .status(head.replacingBody(Data())) }
        let opening = try transfer.receive(head)
        try open(opening, head)
        switch opening {
        case .whole, .rest: return true
        case .complete, .none: return false
        }
    }

    private mutating func open(
        _ opening: DownloadTransfer.Opening, _ head: HTTPResponse<Void>
    ) throws(HTTPError.Reason) {
        switch opening {
        case .whole(let restart):
            if let restart { output.append(.startingOver(restart)) }
        case .rest(let offset):
            output.append(.resuming(from: offset))
        case .complete: try keepExisting(head)
        case .none(let restart):
            output.append(.startingOver(restart))
            phase = .sending
        }
    }

    private mutating func verify(_ response: HTTPResponse<Void>) throws(HTTPError.Reason) {
        reportProgress(isFinal: true)
        try transfer.end(response)
        phase = .verifying(response)
        try continueAfterVerification()
    }

    /// Leaves the file at the path as it is.
    private mutating func keepExisting(_ response: HTTPResponse<Void>?) throws(HTTPError.Reason) {
        output.append(.resuming(from: transfer.progress.completed))
        reportProgress(isFinal: true)
        finish(try transfer.keepExisting(response))
    }

    private mutating func finish(_ file: Download.File) {
        output.append(.finished(file))
        end(.finished)
    }

    /// Appends the progress to the events, in place of the progress that has not been delivered.
    private mutating func reportProgress(isFinal: Bool = false) {
        guard let progress = throttle.admit(transfer.progress, isFinal: isFinal) else { return }
        if case .progress = output.last { output.removeLast() }
        output.append(.progress(progress))
    }
}

// MARK: Failures

extension DownloadSeries {
    /// Fails the attempt with the reason that a closure throws.
    private mutating func attempting(_ work: (inout Self) throws(HTTPError.Reason) -> Void) {
        do throws(HTTPError.Reason) {
            try work(&self)
        } catch {
            decideOnRetry(self.error(error))
        }
    }

    private mutating func decideOnRetry(_ error: HTTPError) {
        guard
            let delay = plan.retryDelay(after: error, retries: attempt - 1, firstAttemptTime: firstAttemptTime)
        else { return end(.failure(error)) }
        isStopping = true
        output.append(.retrying(HTTPRequest.Retry(delay: delay, error: error)))
        phase = .retrying(after: delay)
    }

    private mutating func fail(_ reason: HTTPError.Reason) {
        end(.failure(error(reason)))
    }

    private func error(_ reason: HTTPError.Reason) -> HTTPError {
        HTTPError(reason.redacted(by: plan.redaction), request: plan.summary, attempt: max(attempt, 1))
    }

    /// Ends the download, after the events that await demand.
    private mutating func end(_ completion: Subscribers.Completion<HTTPError>) {
        phase = .over
        isStopping = true
        output.complete(completion)
        transfer.close()
    }
}

extension HTTPError {
    /// Returns this error of an exchange as that of a download's attempt.
    fileprivate func of(attempt: Int) -> HTTPError {
        HTTPError(
            reason, request: request, attempt: attempt, redirects: redirects, underlying: underlying,
            originalMethod: originalMethod)
    }
}

/// The state of a download at one moment, for snapshots.
struct DownloadStatus: SeriesStatus {
    let plan: RequestPlan
    let path: String
    let phase: HTTPClient.Snapshot.ActiveRequest.Phase
    let attempt: Int
    let receivedBytes: Int64

    func add(
        to snapshot: inout HTTPClient.Snapshot, _ callSite: CallSite?, _ queueStatus: RequestQueue.Status,
        age: Duration
    ) {
        // Without a request, there is nothing to register.
        guard case .success(let request) = plan.request else { return }
        snapshot.requests.append(
            HTTPClient.Snapshot.ActiveRequest(
                callSite: callSite, method: plan.summary.method, url: plan.summary.url,
                origin: request.lazyURL.origin, path: path, phase: queueStatus.phase(ofRunning: phase),
                wait: queueStatus.wait(ofRunning: nil, age: age), age: age, attempt: attempt,
                hedges: 0, sentBytes: 0, receivedBytes: receivedBytes))
    }
}

extension RequestPlan {
    /// Creates the plan of one exchange of a download, which makes its own retries and has its own place in the queue.
    ///
    /// - Parameters:
    ///   - request: The request of the exchange.
    ///   - client: The client that sends it.
    convenience init(download request: HTTPRequest, client: HTTPClient) {
        let options = request.options.merging(defaults: client.configuration.options)
        var request = request
        request.options.retry = .never
        request.options.hedging = .never
        // The file itself is what is stored.
        request.options.cache.mode = .unstored
        // The body of an error is not the file.
        request.options.validation = options.validation.requiringSuccess()
        request.options.timeouts.total = nil
        // A part of a file has another size than the file, whose limit the download obeys.
        request.options.maxErrorBodySize = options.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
        request.options.maxBodySize = .max
        // Offsets count encoded bytes.
        request.options.connection.decodesContent = false
        self.init(request, client: client, bodyUse: .deliver, queue: client.innerRequestQueue)
    }
}
