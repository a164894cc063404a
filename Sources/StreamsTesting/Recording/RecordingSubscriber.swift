import Streams

/// A subscriber that writes down all it receives, and whether the publisher kept the contract.
///
/// ```swift
/// let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
/// [1, 2, 3].publisher.subscribe(recorder)
/// // recorder.events == [.subscription("[1, 2, 3]"), .value(1), .value(2)]
/// recorder.request(.max(1))
/// // recorder.events.last == .completion(.finished)
/// // recorder.violations == []
/// ```
///
/// It may be used from any thread. What it does in answer to a signal can be given as a closure, which is called
/// outside any lock, from inside the signal.
public final class RecordingSubscriber<Input, Failure: Error>: Subscriber, Cancellable {
    /// A signal with values and failures of these types.
    public typealias Event = RecordedEvent<Input, Failure>

    /// What a subscriber does about a signal, from inside of it.
    public typealias Reaction = @Sendable (RecordingSubscriber, Event) -> Void

    private let initialDemand: Subscribers.Demand
    private let demandForValue: @Sendable (Input) -> Subscribers.Demand
    private let reaction: Reaction?
    private let keepsSubscription: Bool
    private let log = Locked(EventLog<Input, Failure>())

    /// - Parameters:
    ///   - initialDemand: What is asked for on receiving the subscription; nothing with `.none`.
    ///   - demandPerValue: What is returned for each value.
    ///   - reaction: Called with each signal once it is recorded, and before the initial demand is made. It may
    ///     `request` and `cancel`.
    ///   - keepsSubscription: Whether the subscription is kept after the end too, as a program may, until
    ///     ``releaseSubscription()``. Then what is asked for after the end still reaches it, and nothing else must be
    ///     kept alive by it.
    public convenience init(
        initialDemand: Subscribers.Demand = .unlimited,
        demandPerValue: Subscribers.Demand = .none,
        keepsSubscription: Bool = true,
        reaction: Reaction? = nil
    ) {
        self.init(
            initialDemand: initialDemand, demandForValue: { _ in demandPerValue }, keepsSubscription: keepsSubscription,
            reaction: reaction)
    }

    /// - Parameters:
    ///   - initialDemand: What is asked for on receiving the subscription; nothing with `.none`.
    ///   - demandForValue: Says what to return for a value. Called from inside the signal, outside any lock.
    ///   - keepsSubscription: As above.
    ///   - reaction: As above.
    public init(
        initialDemand: Subscribers.Demand = .unlimited,
        demandForValue: @escaping @Sendable (Input) -> Subscribers.Demand,
        keepsSubscription: Bool = true,
        reaction: Reaction? = nil
    ) {
        self.initialDemand = initialDemand
        self.demandForValue = demandForValue
        self.keepsSubscription = keepsSubscription
        self.reaction = reaction
    }

    /// Everything received so far, in order.
    public var events: [Event] { log.withLock { $0.events } }

    /// The values received so far, in order.
    public var values: [Input] { events.compactMap(\.value) }

    /// Everything received so far as text, a line for each signal.
    ///
    /// It compares where ``events`` cannot: values that are tuples, failures that are `any Error`.
    ///
    /// ```swift
    /// // recorder.transcript == ["subscription TryMap", "1", "failure outOfRange"]
    /// ```
    public var transcript: [String] { events.map(\.description) }

    /// How the stream ended, nil as long as it has not.
    public var completion: Subscribers.Completion<Failure>? {
        for case .completion(let completion) in events { return completion }
        return nil
    }

    /// How the publisher broke the contract so far, in order.
    public var violations: [ContractViolation] { log.withLock { $0.violations } }

    /// The subscription it was handed, nil before and once it has been let go of.
    public var subscription: (any Subscription)? { log.withLock { Loan($0.subscription) }.object }

    /// How many values have been asked for and not arrived.
    public var outstandingDemand: Subscribers.Demand { log.withLock { $0.outstanding } }

    /// Asks for more values. Without a subscription nothing happens.
    public func request(_ demand: Subscribers.Demand) {
        let subscription = log.withLock { log in
            if log.subscription != nil { log.outstanding += demand }
            return Loan(log.subscription)
        }
        subscription.object?.request(demand)
    }

    /// Cancels the subscription, and lets go of it unless it is to be kept. Without one, the next one is cancelled as
    /// it comes.
    public func cancel() {
        let subscription = log.withLock { log in
            log.isCancelled = true
            return Loan(keepsSubscription ? log.subscription : log.subscription.take())
        }
        subscription.object?.cancel()
        let thread = ThreadIdentity.current
        log.withLock { $0.cancellingThreads.append(thread) }
    }

    /// Lets go of the subscription without cancelling it.
    public func releaseSubscription() {
        let released = log.withLock { Loan($0.subscription.take()) }
        withExtendedLifetime(released) {}
    }

    public func receive(subscription: any Subscription) {
        let event = Event.subscription(String(describing: subscription))
        let isWanted = log.withLock { log in
            log.enter(.subscription, event: event)
            if log.isCancelled || log.subscription != nil { return false }
            log.subscription = subscription
            return true
        }
        if isWanted {
            reaction?(self, event)
            if initialDemand > .none { request(initialDemand) }
        } else {
            subscription.cancel()
        }
        leave()
    }

    public func receive(_ input: Input) -> Subscribers.Demand {
        let event = Event.value(input)
        log.withLock { $0.enter(.value, event: event) }
        reaction?(self, event)
        let demand = demandForValue(input)
        log.withLock { $0.outstanding += demand }
        leave()
        return demand
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
        let event = Event.completion(completion)
        let subscription = log.withLock { log in
            log.enter(.completion, event: event)
            return Loan(keepsSubscription ? nil : log.subscription.take())
        }
        withExtendedLifetime(subscription) {}
        reaction?(self, event)
        leave()
    }

    /// Waits until a number of values have arrived or the stream has ended.
    ///
    /// - Parameters:
    ///   - count: How many values to wait for, `.max` for the completion.
    ///   - limit: When to give up. It guards against a test that hangs; nothing waits that long when all is well.
    /// - Returns: Whether it happened in time; `false` as soon as the task that waits is cancelled.
    public func wait(forValues count: Int = .max, within limit: Duration = .seconds(120)) async -> Bool {
        let expectation = CountExpectation(count: count)
        if log.withLock({ $0.add(expectation) }) { return true }
        return await expectation.isMet(within: limit)
    }

    private func leave() {
        for expectation in log.withLock({ $0.leave() }) { expectation.resolve(true) }
    }
}

// Safe because all state is in the log, which is behind a lock.
extension RecordingSubscriber: @unchecked Sendable where Input: Sendable {}
