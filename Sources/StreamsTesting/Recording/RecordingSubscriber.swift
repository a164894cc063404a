import Streams

/// A subscriber that records every signal it receives and every breach of the contract by its publisher.
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
/// It may be used from any thread. A closure may react to each signal from inside the signal, outside any lock.
public final class RecordingSubscriber<Input, Failure: Error>: Subscriber, Cancellable {
    /// A signal with values and failures of these types.
    public typealias Event = RecordedEvent<Input, Failure>

    /// A closure that reacts to a signal from inside the signal.
    public typealias Reaction = @Sendable (RecordingSubscriber, Event) -> Void

    private let initialDemand: Subscribers.Demand
    private let demandForValue: @Sendable (Input) -> Subscribers.Demand
    private let reaction: Reaction?
    private let keepsSubscription: Bool
    private let log = Locked(EventLog<Input, Failure>())

    /// Creates a subscriber that requests a fixed number of values for each value.
    ///
    /// - Parameters:
    ///   - initialDemand: The demand requested on receiving the subscription. `.none` requests nothing.
    ///   - demandPerValue: The demand returned for each value.
    ///   - keepsSubscription: Whether the subscription is kept after the end, until ``releaseSubscription()``. Requests
    ///     after the end then reach it, and a test can show that it keeps nothing else alive.
    ///   - reaction: Called with each signal after it is recorded and before the initial demand is requested. It may
    ///     `request` and `cancel`.
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

    /// Creates a subscriber that computes the demand for each value.
    ///
    /// - Parameters:
    ///   - initialDemand: The demand requested on receiving the subscription. `.none` requests nothing.
    ///   - demandForValue: Returns the demand for a value. Called from inside the signal, outside any lock.
    ///   - keepsSubscription: Whether the subscription is kept after the end, until ``releaseSubscription()``.
    ///   - reaction: Called with each signal after it is recorded and before the initial demand is requested.
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

    /// The signals received so far, in order.
    public var events: [Event] { log.withLock { $0.events } }

    /// The values received so far, in order.
    public var values: [Input] { events.compactMap(\.value) }

    /// The signals received so far as text, one line for each.
    ///
    /// Compares signals that are not equatable, such as tuples and failures that are `any Error`.
    ///
    /// ```swift
    /// // recorder.transcript == ["subscription TryMap", "1", "failure outOfRange"]
    /// ```
    public var transcript: [String] { events.map(\.description) }

    /// The completion of the stream, nil until it arrives.
    public var completion: Subscribers.Completion<Failure>? {
        for case .completion(let completion) in events { return completion }
        return nil
    }

    /// The breaches of the contract by the publisher so far, in order.
    public var violations: [ContractViolation] { log.withLock { $0.violations } }

    /// The received subscription, nil before it arrives and after it is released.
    public var subscription: (any Subscription)? { log.withLock { $0.subscription } }

    /// The number of values that were requested and have not arrived.
    public var outstandingDemand: Subscribers.Demand { log.withLock { $0.outstandingDemand } }

    /// Requests more values. Does nothing without a subscription.
    public func request(_ demand: Subscribers.Demand) {
        let subscription = log.withLock { log in
            if log.subscription != nil { log.request(demand) }
            return log.subscription
        }
        subscription?.request(demand)
    }

    /// Cancels the subscription, and releases it unless it is to be kept.
    ///
    /// Without a subscription, the next one is cancelled on its arrival.
    public func cancel() {
        let subscription = log.withLock { log in
            log.isCancelled = true
            return keepsSubscription ? log.subscription : log.subscription.take()
        }
        subscription?.cancel()
        log.withLock { $0.didCancel() }
    }

    /// Releases the subscription without cancelling it.
    public func releaseSubscription() {
        let released = log.withLock { $0.subscription.take() }
        withExtendedLifetime(released) {}
    }

    public func receive(subscription: any Subscription) {
        let event = Event.subscription(String(describing: subscription))
        let isAccepted = log.withLock { log in
            log.begin(.subscription, event: event)
            if log.isCancelled || log.subscription != nil { return false }
            log.subscription = subscription
            return true
        }
        if isAccepted {
            reaction?(self, event)
            if initialDemand > .none { request(initialDemand) }
        } else {
            subscription.cancel()
        }
        end()
    }

    public func receive(_ input: Input) -> Subscribers.Demand {
        let event = Event.value(input)
        log.withLock { $0.begin(.value, event: event) }
        reaction?(self, event)
        let demand = demandForValue(input)
        log.withLock { $0.request(demand) }
        end()
        return demand
    }

    public func receive(completion: Subscribers.Completion<Failure>) {
        let event = Event.completion(completion)
        let subscription = log.withLock { log in
            log.begin(.completion, event: event)
            return keepsSubscription ? nil : log.subscription.take()
        }
        withExtendedLifetime(subscription) {}
        reaction?(self, event)
        end()
    }

    /// Waits until a number of values have arrived or the stream has ended.
    ///
    /// - Parameters:
    ///   - count: The number of values to wait for, `.max` to wait for the completion.
    ///   - limit: The duration after which to stop waiting. It keeps a failing test from hanging.
    /// - Returns: Whether the values or the completion arrived in time. `false` as soon as the waiting task is
    ///   cancelled.
    public func wait(forValues count: Int = .max, within limit: Duration = .seconds(120)) async -> Bool {
        let expectation = CountExpectation(count: count)
        if log.withLock({ $0.add(expectation) }) { return true }
        return await expectation.isMet(within: limit)
    }

    private func end() {
        for expectation in log.withLock({ $0.end() }) { expectation.resolve(true) }
    }
}

// Safe because a lock guards the log, which contains all state.
extension RecordingSubscriber: @unchecked Sendable where Input: Sendable {}
