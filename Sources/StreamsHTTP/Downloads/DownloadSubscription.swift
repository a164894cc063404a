/// A subscription to a download: sends its requests one after the other, writes the file, and delivers events.
///
/// Inputs from all threads pass through a serial drain, which only threads of the system enter: the draining thread
/// reads and writes files. It owns the state, and calls the subscriber outside of locks.
final class DownloadSubscription<Downstream: Subscriber>: Subscription, QueuedRequest,
    // Safe because the drain makes all access to the mutable state serial, and a lock guards the subscriber.
    @unchecked Sendable
where Downstream.Input == Download.Event, Downstream.Failure == HTTPError {
    private enum Phase {
        /// There has been no demand.
        case idle
        case queued
        case exchanging
        /// The attempt has failed, and its end is not delivered yet.
        case retrying(after: Duration)
        case waiting
        case over
    }

    private let client: HTTPClient
    /// The plan of the download as one request: its policy, its place in the queue, and its errors.
    private let plan: RequestPlan
    /// The task-local values of the subscription, for each exchange; `nil` if no code of the program uses them.
    private let taskLocals: CapturedTaskLocals?
    private let drain = SerialDrain<DownloadInput>()
    /// The subscriber, until the completion or the cancellation.
    private let downstream: Locked<Downstream?>
    /// The state for snapshots.
    private let status: Locked<DownloadStatus>

    // Owned by the draining thread.
    private let transfer: DownloadTransfer
    private var phase = Phase.idle
    private var demand = Subscribers.Demand.none
    /// The events to deliver, before the progress.
    private var steps: [Download.Event] = []
    private var progress: TransferProgress?
    private var throttle: ProgressThrottle
    private var file: Download.File?
    private var completion: Subscribers.Completion<HTTPError>?
    private var exchange: (any RequestHandle)?
    /// The head of the response under way, until its body begins.
    private var head: HTTPResponse<Void>?
    private var timer: (any Cancellable)?
    private var deadline: (any Cancellable)?
    /// The number of the current exchange or timer.
    private var generation = 0
    private var attempt = 0
    private var firstAttemptTime = Duration.zero
    private var slot: Int?

    init(_ download: Download, downstream: Downstream) {
        client = download.client
        plan = RequestPlan(download.request, client: client, bodyUse: .deliver)
        let url = if case .success(let request) = plan.request { request.lazyURL.text } else { "" }
        transfer = DownloadTransfer(
            download.request, url: url, to: download.path, download.options, maxSize: plan.maxBodySize)
        throttle = ProgressThrottle(plan.granularity)
        self.downstream = Locked(downstream)
        status = Locked(DownloadStatus(path: download.path))
        let runsUserCode = !plan.interceptors.isEmpty || !plan.monitors.isEmpty || plan.isAdapted
        taskLocals = runsUserCode ? CapturedTaskLocals() : nil
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        receive(.demand(demand))
    }

    func cancel() {
        guard let cancelled = downstream.withLock({ $0.take() }) else { return }
        // On this thread, unless another one is writing: the file is closed when this returns.
        withExtendedLifetime(cancelled) { submit(.cancel) }
    }

    func begin() {
        receive(.admitted)
    }

    func cancelFromClient() {
        receive(.cancelledByClient)
    }

    /// A download ends by itself.
    func finishFromClient() {}

    func add(to snapshot: inout HTTPClient.Snapshot, _ queueStatus: RequestQueue.Status, now: Duration) {
        let status = status.withLock { $0 }
        if let row = status.row(of: plan, queueStatus, now: now) { snapshot.requests.append(row) }
    }
}

extension DownloadSubscription: CustomStringConvertible {
    var description: String { "Download" }
}

/// An input of a download.
private enum DownloadInput {
    case demand(Subscribers.Demand)
    case admitted
    /// An input from an exchange or a timer, which may be over.
    case event(RequestEvent<Data>, generation: Int)
    case ended(Subscribers.Completion<HTTPError>, generation: Int)
    case waited(generation: Int)
    case expired
    case cancelledByClient
    case cancel
}

// MARK: The draining thread

extension DownloadSubscription: DownloadInputReceiver {
    /// Handles an input on a thread of the system's.
    fileprivate func receive(_ input: DownloadInput) {
        let download: any DownloadInputReceiver = self
        client.clock.runConcurrently { download.submit(input) }
    }

    /// Handles an input, on this thread or on that which is draining.
    fileprivate func submit(_ input: DownloadInput) {
        drain.submit(input, handle)
    }

    private func handle(_ input: DownloadInput) {
        switch input {
        case .cancel: return close()
        case .demand(let demand):
            self.demand += demand
            if case .idle = phase { start() }
        case .cancelledByClient: cancelEvents()
        case _ where isOver: return
        case .admitted: if case .queued = phase { connect() }
        case .event(let event, let generation):
            guard generation == self.generation else { return }
            attempting { () throws(HTTPError.Reason) in try handleEvent(event) }
            if generation == self.generation { exchange?.request(.max(1)) }
        case .ended(let completion, let generation):
            guard generation == self.generation, case .failure(let error) = completion else { return }
            attempting { () throws(HTTPError.Reason) in try handleFailure(error) }
        case .waited(let generation):
            guard generation == self.generation else { return }
            connect()
        case .expired:
            if case .queued = phase { fail(.timeout(.queue)) } else { fail(.timeout(.total)) }
        }
        status.withLock { $0.update(phase: displayedPhase, attempt: attempt, progress: transfer.progress) }
        deliver()
    }

    private var displayedPhase: HTTPClient.Snapshot.Request.Phase {
        switch phase {
        case .idle, .queued: .preparing
        case .exchanging: .receiving
        case .retrying, .waiting: .waitingForRetry
        case .over: .ending
        }
    }

    private var isOver: Bool { if case .over = phase { true } else { false } }

    /// Ends the download for the client. Events that await demand are dropped, as those of any request.
    private func cancelEvents() {
        guard !isOver || completion != nil else { return }
        (steps, progress, file) = ([], nil, nil)
        fail(.cancelled)
    }

    /// Fails the attempt with the reason that a closure throws.
    private func attempting(_ work: () throws(HTTPError.Reason) -> Void) {
        do throws(HTTPError.Reason) {
            try work()
        } catch {
            decideOnRetry(self.error(error))
        }
    }
}

// MARK: Attempts

extension DownloadSubscription {
    private func start() {
        phase = .queued
        guard case .success(let planned) = plan.request else {
            if case .failure(let error) = plan.request { end(.failure(error)) }
            return
        }
        firstAttemptTime = client.clock.now
        status.withLock { $0.start = firstAttemptTime }
        if plan.consumesRetries {
            plan.retryTracker?.recordAttempt(planned.lazyURL.origin, now: firstAttemptTime)
        }
        let download: any DownloadInputReceiver = self
        deadline = plan.options.timeouts.total.map { client.clock.schedule($0) { download.receive(.expired) } }
        switch client.requestQueue.enqueue(self) {
        case .rejected: fail(.invalidRequest(.clientShutDown))
        case .queued(let slot): self.slot = slot
        case .admitted(let slot):
            self.slot = slot
            connect()
        }
    }

    /// Begins an attempt.
    private func connect() {
        attempt += 1
        phase = .exchanging
        throttle = ProgressThrottle(plan.granularity)
        do throws(HTTPError.Reason) {
            if let restart = try transfer.open() { steps.append(.startingOver(restart)) }
            send()
        } catch {
            fail(error)
        }
    }

    /// Sends the request for what is missing.
    private func send() {
        let plan = RequestPlan(download: transfer.nextRequest(), client: client)
        let sink = DownloadSink(download: self, generation: nextGeneration(), clock: client.clock)
        let made = Locked<(any RequestHandle)?>(nil)
        let make: @Sendable () -> Void = {
            let exchange = plan.subscription(sink)
            made.withLock { $0 = exchange }
        }
        if let taskLocals { taskLocals.run(make) } else { make() }
        exchange = made.withLock { $0 }
        exchange?.request(.max(1))
    }

    private func handleEvent(_ event: RequestEvent<Data>) throws(HTTPError.Reason) {
        switch event {
        case .head(let head):
            // The head of an error, too. Only the body of another response is delivered.
            self.head = head
        case .chunk(let chunk):
            guard try openResponse() else { return }
            try transfer.receive(chunk)
            if let progress = throttle.admit(transfer.progress) { self.progress = progress }
        case .response(let response):
            guard try openResponse() else { return }
            try finish(response.replacingBody(()))
        case .attempt, .uploadProgress, .downloadProgress, .retrying: break
        }
    }

    private func handleFailure(_ error: HTTPError) throws(HTTPError.Reason) {
        if let head = error.response?.replacingBody(()), let opening = try transfer.receive(error: head) {
            open(opening)
            if case .rest = opening { try finish(head) }
            return
        }
        decideOnRetry(error.of(attempt: attempt))
    }

    /// Begins to read a response that is not an error, unless that has been done.
    ///
    /// - Returns: Whether the response is of use. If not, another request has been sent.
    private func openResponse() throws(HTTPError.Reason) -> Bool {
        guard let head = head.take() else { return true }
        // An interceptor has replaced an error by a response. Its body is not the file.
        guard head.status.isSuccess else { throw .status(head.replacingBody(Data())) }
        let opening = try transfer.receive(head)
        open(opening)
        if case .none = opening { return false }
        return true
    }

    private func open(_ opening: DownloadTransfer.Opening) {
        switch opening {
        case .whole(let restart):
            if let restart { steps.append(.startingOver(restart)) }
        case .rest(let offset):
            steps.append(.resuming(from: offset))
        case .none(let restart):
            steps.append(.startingOver(restart))
            send()
        }
    }

    private func finish(_ response: HTTPResponse<Void>) throws(HTTPError.Reason) {
        if let progress = throttle.admit(transfer.progress, isFinal: true) { self.progress = progress }
        file = try transfer.finish(response)
        end(.finished)
    }
}

// MARK: Failures

extension DownloadSubscription {
    private func decideOnRetry(_ error: HTTPError) {
        guard
            let delay = plan.retryDelay(after: error, retries: attempt - 1, firstAttemptTime: firstAttemptTime)
        else { return end(.failure(error)) }
        _ = nextGeneration()
        flushProgress()
        steps.append(.retrying(HTTPRequest.Retry(delay: delay, error: error)))
        phase = .retrying(after: delay)
    }

    private func fail(_ reason: HTTPError.Reason) {
        end(.failure(error(reason)))
    }

    private func error(_ reason: HTTPError.Reason) -> HTTPError {
        HTTPError(reason.redacted(by: plan.redaction), request: plan.summary, attempt: max(attempt, 1))
    }

    /// Ends the download, after the events that await demand.
    private func end(_ completion: Subscribers.Completion<HTTPError>) {
        flushProgress()
        phase = .over
        self.completion = completion
        closeOperations()
        transfer.close()
    }

    /// Moves the progress before the events that follow it.
    private func flushProgress() {
        if let progress = progress.take() { steps.append(.progress(progress)) }
    }
}

// MARK: Delivery

extension DownloadSubscription {
    private func deliver() {
        while demand > .none, let event = nextEvent() {
            guard let downstream = downstream.withLock({ $0 }) else { return close() }
            demand -= 1
            demand += downstream.receive(event)
        }
        guard steps.isEmpty, progress == nil, file == nil else { return }
        if case .retrying(let delay) = phase { wait(delay) }
        guard let completion = completion.take() else { return }
        let downstream = downstream.withLock { $0.take() }
        // The next request may start while the subscriber still handles this one's completion.
        if let slot { client.requestQueue.endRunning(slot) }
        downstream?.receive(completion: completion)
        close()
    }

    private func nextEvent() -> Download.Event? {
        if !steps.isEmpty { return steps.removeFirst() }
        if let progress = progress.take() { return .progress(progress) }
        return file.take().map { .finished($0) }
    }

    private func wait(_ delay: Duration) {
        phase = .waiting
        let generation = nextGeneration()
        let download: any DownloadInputReceiver = self
        timer = client.clock.schedule(delay) { download.receive(.waited(generation: generation)) }
    }

    /// Ends the exchange or the timer, and returns the number of the next one.
    private func nextGeneration() -> Int {
        exchange.take()?.cancel()
        timer.take()?.cancel()
        head = nil
        generation += 1
        return generation
    }

    private func closeOperations() {
        _ = nextGeneration()
        deadline.take()?.cancel()
    }

    /// Releases everything.
    private func close() {
        phase = .over
        (steps, progress, file, completion) = ([], nil, nil, nil)
        closeOperations()
        transfer.close()
        taskLocals?.end()
        if let slot = slot.take() { client.requestQueue.remove(slot) }
    }
}

/// A receiver of the inputs from exchanges and timers.
private protocol DownloadInputReceiver: AnyObject, Sendable {
    /// Handles an input on a thread of the system's.
    func receive(_ input: DownloadInput)
    /// Handles an input on this thread, which is one of the system's, or on that which is draining.
    func submit(_ input: DownloadInput)
}

/// Passes the events of one exchange to the download.
private struct DownloadSink: EventSink {
    let download: any DownloadInputReceiver
    let generation: Int
    let clock: RequestClock

    var filter: EventFilter { .content }

    func scheduleDelivery(of subscription: any RequestHandle) {
        clock.runConcurrently { subscription.deliver() }
    }

    func receive(_ event: RequestEvent<Data>) -> Subscribers.Demand {
        download.submit(.event(event, generation: generation))
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        download.submit(.ended(completion, generation: generation))
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
