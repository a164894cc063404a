import Streams

/// A publisher that does exactly what a test tells it, also what the contract forbids, and records what it is asked.
///
/// ```swift
/// let probe = ProbePublisher<Int, Never>()
/// let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
/// probe.filter { $0 > 1 }.subscribe(recorder)
///
/// probe.send(1)                    // returns .max(1): the filter asks for another value
/// probe.sendSubscription()         // a second one, against the contract
/// // probe.requests == [.max(2)], and probe.cancellations == 1: the operator has turned the second one down
/// ```
///
/// Nothing is held back: values go out without demand, from any thread, after the completion and after cancellation.
/// Signals go to every subscriber there is, in the order of subscription, outside any lock.
public final class ProbePublisher<Output, Failure: Error>: Publisher {
    /// What becomes of subscribers.
    public enum Retention: Sendable {
        /// They are let go of when they cancel, or have been sent a completion, as any publisher has to.
        case untilEnd

        /// They are kept, so that they can be sent signals even then.
        case always
    }

    /// What a subscriber told its subscription.
    public typealias Command = SubscriptionCommand

    private let name: String
    private let sendsSubscription: Bool
    private let retention: Retention
    private let onRequest: (@Sendable (ProbePublisher, Subscribers.Demand) -> Void)?
    private let onCancel: (@Sendable () -> Void)?
    private let state = Locked(ProbeState<Output, Failure>())

    /// - Parameters:
    ///   - name: What its subscriptions show as their description.
    ///   - sendsSubscription: Whether a subscriber gets a subscription as it should. Without, it gets one by
    ///     ``sendSubscription()`` only.
    ///   - retention: What becomes of subscribers that have cancelled or been sent a completion.
    ///   - onRequest: Called from inside each request, once it is recorded. It may answer by sending from the probe,
    ///     which it is handed.
    ///   - onCancel: Called from inside each cancellation, once it is recorded.
    public init(
        _ name: String = "Probe",
        sendsSubscription: Bool = true,
        retention: Retention = .untilEnd,
        onRequest: (@Sendable (ProbePublisher, Subscribers.Demand) -> Void)? = nil,
        onCancel: (@Sendable () -> Void)? = nil
    ) {
        self.name = name
        self.sendsSubscription = sendsSubscription
        self.retention = retention
        self.onRequest = onRequest
        self.onCancel = onCancel
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let erased = AnySubscriber(subscriber)
        let target = state.withLock { state in
            let target = ProbeTarget(erased, index: state.commands.count)
            state.commands.append([])
            state.targets.append(target)
            return target
        }
        if sendsSubscription { target.subscriber.receive(subscription: makeSubscription(for: target)) }
    }

    /// How many subscribers there have been.
    public var subscriptionCount: Int { state.withLock { $0.commands.count } }

    /// How many subscribers are being kept.
    public var subscriberCount: Int { state.withLock { $0.targets.count } }

    /// What has been asked for, by whichever subscriber, in order. Values that subscribers ask for by what they return
    /// are not among them.
    public var requests: [Subscribers.Demand] { state.withLock { $0.requests } }

    /// How many times a subscription was cancelled.
    public var cancellations: Int { state.withLock { $0.cancellations } }

    /// What each subscriber has told its subscriptions, in order, the first subscriber first.
    public var commands: [[Command]] { state.withLock { $0.commands } }

    /// Hands every subscriber a new subscription.
    public func sendSubscription() {
        for target in targets { target.subscriber.receive(subscription: makeSubscription(for: target)) }
    }

    /// Sends every subscriber a value.
    ///
    /// - Returns: The sum of what they asked for in return.
    @discardableResult
    public func send(_ value: Output) -> Subscribers.Demand {
        targets.reduce(.none) { $0 + $1.subscriber.receive(value) }
    }

    /// Sends every subscriber a completion.
    public func send(completion: Subscribers.Completion<Failure>) {
        for target in targets {
            target.subscriber.receive(completion: completion)
            if retention == .untilEnd { remove(target) }
        }
    }

    /// Sends one subscriber a value.
    ///
    /// - Parameters:
    ///   - value: What it is sent.
    ///   - index: Which, in the order in which they subscribed. Nothing happens if it is no longer kept.
    /// - Returns: What it asked for in return.
    @discardableResult
    public func send(_ value: Output, to index: Int) -> Subscribers.Demand {
        target(index)?.subscriber.receive(value) ?? .none
    }

    /// Sends one subscriber a completion.
    ///
    /// - Parameters:
    ///   - completion: What it is sent.
    ///   - index: Which, in the order in which they subscribed. Nothing happens if it is no longer kept.
    public func send(completion: Subscribers.Completion<Failure>, to index: Int) {
        guard let target = target(index) else { return }
        target.subscriber.receive(completion: completion)
        if retention == .untilEnd { remove(target) }
    }

    /// Hands every subscriber a subscription of somebody else's.
    public func send(subscription: any Subscription) {
        for target in targets { target.subscriber.receive(subscription: subscription) }
    }

    /// Lets go of every subscriber without a word, as a publisher does that goes away.
    public func releaseSubscribers() {
        let released = state.withLock { state in
            let released = state.targets
            state.targets = []
            return released
        }
        withExtendedLifetime(released) {}
    }

    private func target(_ index: Int) -> ProbeTarget<Output, Failure>? {
        targets.first { $0.index == index }
    }

    private var targets: [ProbeTarget<Output, Failure>] { state.withLock { $0.targets } }

    private func makeSubscription(for target: ProbeTarget<Output, Failure>) -> ProbeSubscription<Output, Failure> {
        ProbeSubscription(name, publisher: self, target: target)
    }

    fileprivate func requested(_ demand: Subscribers.Demand, byIndex index: Int) {
        state.withLock { state in
            state.requests.append(demand)
            state.commands[index].append(.request(demand))
        }
        onRequest?(self, demand)
    }

    fileprivate func cancelled(_ target: ProbeTarget<Output, Failure>?, byIndex index: Int) {
        state.withLock { state in
            state.cancellations += 1
            state.commands[index].append(.cancel)
        }
        if retention == .untilEnd, let target { remove(target) }
        onCancel?()
    }

    private func remove(_ target: ProbeTarget<Output, Failure>) {
        let removed = state.withLock { state in
            let index = state.targets.firstIndex { $0 === target }
            return index.map { state.targets.remove(at: $0) }
        }
        withExtendedLifetime(removed) {}
    }
}

// Safe because all state is behind a lock, and values only pass through.
extension ProbePublisher: @unchecked Sendable where Output: Sendable {}

// Safe because it is behind the lock of the publisher, and a subscriber is called only as the test calls the publisher.
private struct ProbeState<Output, Failure: Error>: @unchecked Sendable {
    var targets: [ProbeTarget<Output, Failure>] = []
    var requests: [Subscribers.Demand] = []
    var cancellations = 0
    var commands: [[SubscriptionCommand]] = []
}

/// One subscriber, in an object of its own by which it is told from others.
// Safe because the subscriber is constant, and called only as the test calls the publisher.
private final class ProbeTarget<Output, Failure: Error>: @unchecked Sendable {
    let subscriber: AnySubscriber<Output, Failure>

    /// How many came before it.
    let index: Int

    init(_ subscriber: AnySubscriber<Output, Failure>, index: Int) {
        self.subscriber = subscriber
        self.index = index
    }
}

/// The subscription a probe hands out. It keeps neither the probe nor the subscriber.
private final class ProbeSubscription<Output, Failure: Error>: Subscription, CustomStringConvertible {
    let description: String
    private weak var publisher: ProbePublisher<Output, Failure>?
    private weak var target: ProbeTarget<Output, Failure>?
    private let index: Int

    init(
        _ description: String, publisher: ProbePublisher<Output, Failure>, target: ProbeTarget<Output, Failure>
    ) {
        self.description = description
        self.publisher = publisher
        self.target = target
        index = target.index
    }

    func request(_ demand: Subscribers.Demand) {
        publisher?.requested(demand, byIndex: index)
    }

    func cancel() {
        publisher?.cancelled(target, byIndex: index)
    }
}
