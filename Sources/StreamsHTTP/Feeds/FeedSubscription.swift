/// A subscription to a feed: performs its state machine's actions.
///
/// Inputs from all threads pass through a serial drain. The draining thread owns the state machine and the connection,
/// and calls the source and the subscriber outside of locks.
///
/// The source is the only type parameter: code that is also generic over the subscriber, or that is called dynamically,
/// would not be specialised, and an element would cost several times as much.
// Safe because the drain makes all access to the mutable state serial, and a lock guards the subscriber.
final class FeedSubscription<Source: FeedSource>: Subscription, QueuedRequest, @unchecked Sendable {
    typealias Downstream = AnySubscriber<Feed<Source.Element>.Event, HTTPError>

    private let client: HTTPClient
    private let options: FeedOptions
    /// The task-local values of the subscription, for each connection; `nil` if no code of the program uses them.
    private let taskLocals: CapturedTaskLocals?
    private let drain = SerialDrain<FeedSubscriptionInput>()
    /// Handles an input. A closure is specialised where the object is created.
    private let handleInput: (FeedSubscription, FeedSubscriptionInput) -> Void
    private let shared: Locked<Shared>
    /// The call site of the checkpoint that has subscribed, if there is one.
    private let callSite = CallSite.current

    /// The state that other threads use, too.
    private struct Shared {
        /// The subscriber, until the completion or the cancellation.
        var downstream: Downstream?
        var status: FeedStatus
    }

    // Owned by the draining thread.
    private var machine: FeedStateMachine<Source>?
    private var connection: (any RequestHandle)?
    private var timer: (any Cancellable)?
    /// The number of the current connection or timer.
    private var generation = 0
    private var slot: Int?

    init(
        _ source: Source, client: HTTPClient, options: FeedOptions, summary: HTTPError.RequestSummary,
        downstream: Downstream
    ) {
        self.client = client
        self.options = options
        shared = Locked(Shared(downstream: downstream, status: FeedStatus(summary)))
        let configuration = client.configuration
        let runsUserCode =
            !configuration.interceptors.isEmpty || !configuration.monitors.isEmpty
            || configuration.authorization != nil
        taskLocals = runsUserCode ? CapturedTaskLocals() : nil
        machine = FeedStateMachine(source, options: options, redaction: configuration.redaction)
        handleInput = { $0.handle($1) }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        submit(.machine(.demand(demand)))
    }

    func cancel() {
        guard let cancelled = shared.withLock({ $0.downstream.take() }) else { return }
        withExtendedLifetime(cancelled) { submit(.cancel) }
    }

    func begin() {
        submit(.machine(.admitted))
    }

    func cancelFromClient() {
        submit(.machine(.fail(.cancelled)))
    }

    func finishFromClient() {
        submit(.machine(.finish))
    }

    func add(to snapshot: inout HTTPClient.Snapshot, _ queueStatus: RequestQueue.Status, now: Duration) {
        let status = shared.withLock { $0.status }
        snapshot.feeds.append(status.row(callSite, queueStatus, now: now))
    }
}

extension FeedSubscription: FeedInputReceiver {
    func receive(_ input: FeedInput, generation: Int) {
        submit(.operation(input, generation: generation))
    }
}

extension FeedSubscription: CustomStringConvertible {
    var description: String { "Feed" }
}

// MARK: The draining thread

extension FeedSubscription {
    private func submit(_ input: FeedSubscriptionInput) {
        drain.submit(input) { handleInput(self, $0) }
    }

    private func handle(_ input: FeedSubscriptionInput) {
        switch input {
        case .machine(let input): machine?.handle(input, clock: client.clock)
        case .operation(let input, let generation):
            guard generation == self.generation else { return }
            machine?.handle(input, clock: client.clock)
        case .cancel: return close()
        }
        while let action = machine?.nextAction(clock: client.clock, random: { .random(in: 0...1) }) {
            perform(action)
        }
    }

    private func perform(_ action: FeedStateMachine<Source>.Action) {
        switch action {
        case .register: register()
        case .connect(let request): connect(request)
        case .read: connection?.request(.max(1))
        case .wait(let delay):
            let generation = nextGeneration()
            shared.withLock { $0.status.phase = .waiting }
            let feed: any FeedInputReceiver = self
            timer = client.clock.schedule(delay) { feed.receive(.waited, generation: generation) }
        case .deliver(let event):
            let position = machine?.position
            let downstream = shared.withLock { shared in
                shared.status.deliver(event, position: position)
                return shared.downstream
            }
            guard let downstream else { return close() }
            let demand = downstream.receive(event)
            if demand > .none { machine?.handle(.demand(demand), clock: client.clock) }
        case .complete(let completion):
            let downstream = shared.withLock { $0.downstream.take() }
            if let slot { client.feedQueue.endRunning(slot) }
            closeOperations()
            downstream?.receive(completion: completion)
            close()
        }
    }

    /// Ends the connection or the timer, and returns the number of the next one.
    private func nextGeneration() -> Int {
        closeOperations()
        generation += 1
        return generation
    }

    private func closeOperations() {
        connection.take()?.cancel()
        timer.take()?.cancel()
    }

    /// Releases everything.
    private func close() {
        generation += 1
        machine = nil
        closeOperations()
        taskLocals?.end()
        if let slot = slot.take() { client.feedQueue.remove(slot) }
    }

    private func register() {
        let now = client.clock.now
        shared.withLock { $0.status.start = now }
        switch client.feedQueue.enqueue(self) {
        case .rejected:
            machine?.handle(.fail(.invalidRequest(.clientShutDown)), clock: client.clock)
        case .queued(let slot): self.slot = slot
        case .admitted(let slot):
            self.slot = slot
            machine?.handle(.admitted, clock: client.clock)
        }
    }

    private func connect(_ request: HTTPRequest) {
        let plan = RequestPlan(
            feed: request, Source.connection, client: client, idleTimeout: options.idleTimeout)
        let summary = plan.summary
        shared.withLock { $0.status.connect(summary) }
        let sink = FeedConnectionSink(
            feed: self, generation: nextGeneration(), clock: client.clock, requestQueue: client.requestQueue)
        guard let taskLocals else { return connection = plan.subscription(sink) }
        let made = Locked<(any RequestHandle)?>(nil)
        taskLocals.run {
            let connection = plan.subscription(sink)
            made.withLock { $0 = connection }
        }
        connection = made.withLock { $0 }
    }
}

/// An input for a feed's subscription.
private enum FeedSubscriptionInput {
    case machine(FeedInput)
    /// An input from a connection or a timer, which may be over.
    case operation(FeedInput, generation: Int)
    case cancel
}

/// A receiver of the inputs from connections and timers.
private protocol FeedInputReceiver: AnyObject, Sendable {
    /// Receives an input, unless it is one of an earlier connection or timer.
    func receive(_ input: FeedInput, generation: Int)
}

/// Passes the events of one connection to the feed.
private struct FeedConnectionSink: EventSink {
    let feed: any FeedInputReceiver
    let generation: Int
    let clock: RequestClock
    /// The client's queue, which the client closes before it finishes its feeds.
    let requestQueue: RequestQueue

    var filter: EventFilter { .content }

    func scheduleDelivery(of subscription: any RequestHandle) {
        clock.runConcurrently { subscription.deliver() }
    }

    func receive(_ event: RequestEvent<Data>) -> Subscribers.Demand {
        feed.receive(.event(event), generation: generation)
        return .none
    }

    func receive(completion: Subscribers.Completion<HTTPError>) {
        feed.receive(isRefusal(completion) ? .finish : .completion(completion), generation: generation)
    }

    /// Returns whether the client has refused the connection because it shuts down. The error alone does not tell: an
    /// interceptor may have thrown that of another client.
    private func isRefusal(_ completion: Subscribers.Completion<HTTPError>) -> Bool {
        guard case .failure(let error) = completion, case .invalidRequest(.clientShutDown) = error.reason else {
            return false
        }
        return requestQueue.isClosed
    }
}
