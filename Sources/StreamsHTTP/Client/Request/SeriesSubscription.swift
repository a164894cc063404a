import Synchronization

/// A subscription to a series of requests: performs the actions that the series decides on, and delivers its output.
///
/// Inputs from all threads pass through a serial drain. The draining thread owns the series and the request under way,
/// and calls the series and the subscriber outside of locks.
///
/// The series is the only type parameter: code that is also generic over the subscriber, or that is called dynamically,
/// would not be specialised, and an event would cost several times as much.
// Safe because the drain makes all access to the mutable state serial, and a lock guards what other threads use.
final class SeriesSubscription<Series: RequestSeries>: Subscription, QueuedRequest, @unchecked Sendable {
    typealias Downstream = AnySubscriber<Series.Event, HTTPError>

    /// The state that snapshots read.
    private struct Shared {
        /// The status before the latest row of events.
        var status: Series.Status
        /// The time of the first demand.
        var start = Duration.zero
    }

    private let client: HTTPClient
    private let queue: RequestQueue
    /// The task-local values of the subscription, for each request; `nil` if no code of the program uses them.
    private let taskLocals: CapturedTaskLocals?
    private let drain = SerialDrain<SubscriptionInput>()
    /// Handles an input. A closure is specialised where the object is created.
    private let handleInput: (SeriesSubscription, SubscriptionInput) -> Void
    private let shared: Locked<Shared>
    /// Whether the subscription was completed or cancelled.
    private let isOver = Atomic(false)
    /// The call site of the checkpoint that has subscribed, if there is one.
    private let callSite = CallSite.current

    // These belong to the draining thread.
    @exclusivity(unchecked) private var downstream: Downstream?
    @exclusivity(unchecked) private var series: Series?
    @exclusivity(unchecked) private var request: (any RequestHandle)?
    @exclusivity(unchecked) private var timer: (any Cancellable)?
    @exclusivity(unchecked) private var deadline: (any Cancellable)?
    @exclusivity(unchecked) private var reminder: (any Cancellable)?
    /// The number of the reminder that was set last.
    @exclusivity(unchecked) private var reminderNumber = 0
    /// The number of the current request or timer.
    @exclusivity(unchecked) private var generation = 0
    /// Whether an event of the request under way has been requested and has not arrived.
    @exclusivity(unchecked) private var isReading = false
    /// Whether the series has begun, at the first demand.
    @exclusivity(unchecked) private var hasBegun = false
    @exclusivity(unchecked) private var slot: Int?

    init(_ series: Series, downstream: Downstream) {
        client = series.client
        queue = series.queue
        taskLocals = client.runsUserCode ? CapturedTaskLocals() : nil
        shared = Locked(Shared(status: series.status))
        self.downstream = downstream
        self.series = series
        handleInput = { $0.handle($1) }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        receive(.demand(demand))
    }

    func cancel() {
        // On this thread, unless another one is draining: a file is closed when this returns.
        if !isOver.exchange(true, ordering: .acquiringAndReleasing) { submit(.cancel) }
    }

    func begin() {
        receive(.series(.admitted))
    }

    func cancelFromClient() {
        receive(.series(.fail(.cancelled)))
    }

    func finishFromClient() {
        receive(.series(.finish))
    }

    func add(to snapshot: inout HTTPClient.Snapshot, _ queueStatus: RequestQueue.Status, now: Duration) {
        let (status, start) = shared.withLock { ($0.status, $0.start) }
        status.add(to: &snapshot, callSite, queueStatus, age: max(now - start, .zero))
    }
}

extension SeriesSubscription: CustomStringConvertible {
    var description: String { Series.name }
}

// MARK: Inputs

extension SeriesSubscription {
    /// Handles an input, on a thread of the system's if that may block.
    private func receive(_ input: SubscriptionInput) {
        guard Series.mayBlock else { return submit(input) }
        client.clock.runConcurrently { self.submit(input) }
    }

    /// Handles an input on this thread, or on that which is draining.
    private func submit(_ input: SubscriptionInput) {
        drain.submit(input) { handleInput(self, $0) }
    }

    /// Handles an input from a request, on the thread of the system's that delivers it.
    fileprivate func submit(_ input: SeriesInput, generation: Int) {
        submit(.operation(input, generation: generation))
    }

    private func handle(_ input: SubscriptionInput) {
        var isStatusPublished = false
        switch input {
        case .demand(let demand):
            series?.output.demand += demand
            if hasBegun { isStatusPublished = true } else { beginSeries() }
        case .series(let input): series?.handle(input)
        case .operation(let input, let generation):
            guard generation == self.generation else { return }
            if case .event = input { isReading = false }
            series?.handle(input)
        case .reminder(let number):
            // An earlier one may have fired before it was cancelled.
            guard number == reminderNumber else { return }
            series?.handle(.reminded(isReading: isReading))
        case .cancel: return close()
        }
        advance(isStatusPublished: isStatusPublished)
    }

    /// Begins the series, and registers it with its queue.
    private func beginSeries() {
        guard !isOver.load(ordering: .acquiring) else { return }
        hasBegun = true
        series?.begin { { [weak self] in self?.receive(.series($0)) } }
        guard series?.output.isOver == false else { return }
        let now = client.clock.now
        shared.withLock { $0.start = now }
        deadline = series?.timeout.map { client.clock.schedule($0) { self.receive(.series(.expired)) } }
        switch queue.enqueue(self) {
        case .rejected:
            series?.handle(.fail(.invalidRequest(.clientShutDown)))
        case .queued(let slot): self.slot = slot
        case .admitted(let slot):
            self.slot = slot
            series?.handle(.admitted)
        }
    }
}

// MARK: Actions

extension SeriesSubscription {
    /// Performs the actions of the series and delivers its output, until it waits for an input or for demand.
    ///
    /// - Parameter isStatusPublished: Whether the status has not changed since it was published.
    private func advance(isStatusPublished: Bool) {
        // Not between the events of a row: a copy of the status would cost as much as an event.
        var isInRow = false
        var isStatusPublished = isStatusPublished
        while let downstream {
            guard !isOver.load(ordering: .acquiring) else { return close() }
            if let action = nextAction() {
                isStatusPublished = !isInRow
                if isStatusPublished { publishStatus() }
                isInRow = false
                perform(action)
            } else if let event = series?.output.next() {
                series?.willDeliver(event)
                isStatusPublished = !isInRow
                if isStatusPublished { publishStatus() }
                isInRow = true
                let demand = downstream.receive(event)
                series?.output.demand += demand
            } else if let completion = series?.output.nextCompletion {
                if !isInRow { publishStatus() }
                complete(completion)
            } else {
                break
            }
        }
        if !isStatusPublished { publishStatus() }
    }

    /// Returns the series' next action, unless that only waits for an event which has been requested.
    private func nextAction() -> SeriesAction? {
        let action = series?.nextAction()
        if isReading, case .read = action { return nil }
        return action
    }

    private func publishStatus() {
        guard let status = series?.status else { return }
        let previous = shared.withLock { exchange(&$0.status, with: status) }
        withExtendedLifetime(previous) {}
    }

    private func perform(_ action: consuming SeriesAction) {
        switch consume action {
        case .send(let plan, let decode): send(plan, decode)
        case .read:
            isReading = true
            request?.request(.max(1))
        case .wait(let delay): wait(delay)
        case .remind(let delay): remind(delay)
        case .stop: stop()
        }
    }

    private func send(_ plan: RequestPlan, _ decode: (@Sendable (HTTPResponse<Data>) throws -> Void)?) {
        stop()
        isReading = false
        let sink = SeriesSink(subscription: self, generation: generation, clock: client.clock, decode: decode)
        guard let taskLocals else { return request = plan.subscription(sink) }
        let made = Locked<(any RequestHandle)?>(nil)
        taskLocals.run {
            let request = plan.subscription(sink)
            made.withLock { $0 = request }
        }
        request = made.withLock { $0 }
    }

    private func wait(_ delay: Duration) {
        stop()
        timer = client.clock.schedule(delay) { [generation] in
            self.receive(.operation(.waited, generation: generation))
        }
    }

    private func remind(_ delay: Duration) {
        reminder.take()?.cancel()
        reminderNumber += 1
        reminder = client.clock.schedule(delay) { [reminderNumber] in
            self.receive(.reminder(number: reminderNumber))
        }
    }

    private func complete(_ completion: Subscribers.Completion<HTTPError>) {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return close() }
        let downstream = downstream
        stop()
        // The next one in the queue may start while the subscriber still handles this one's completion.
        if let slot { queue.endRunning(slot) }
        downstream?.receive(completion: completion)
        close()
    }

    /// Cancels the request or the timer under way. What it has sent by now is ignored.
    private func stop() {
        generation += 1
        request.take()?.cancel()
        timer.take()?.cancel()
    }

    /// Releases everything.
    private func close() {
        downstream = nil
        series.take()?.close()
        stop()
        deadline.take()?.cancel()
        reminder.take()?.cancel()
        taskLocals?.end()
        if let slot = slot.take() { queue.remove(slot) }
    }
}

/// An input of a subscription. Nested in it, it would be a type for each series, looked up with every event.
private enum SubscriptionInput {
    case demand(Subscribers.Demand)
    case series(SeriesInput)
    /// An input from a request or a timer, which may be over.
    case operation(SeriesInput, generation: Int)
    case reminder(number: Int)
    case cancel
}

/// Passes the events of one request to the series that it belongs to.
private struct SeriesSink<Series: RequestSeries>: EventSink {
    let subscription: SeriesSubscription<Series>
    let generation: Int
    let clock: RequestClock
    /// Decodes the response; `nil` if the series uses it as it is.
    let decode: (@Sendable (HTTPResponse<Data>) throws -> Void)?

    var filter: EventFilter { .content }

    func scheduleDelivery(of request: any RequestHandle) {
        clock.runConcurrently { request.deliver() }
    }

    func receive(_ event: RequestEvent<Data>) throws(UndecodableResponse) -> Subscribers.Demand {
        if let decode, case .response(let response) = event { _ = try response.decoded(by: decode) }
        subscription.submit(.event(event), generation: generation)
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        subscription.submit(.completion(completion), generation: generation)
    }
}
