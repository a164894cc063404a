import Streams

/// A publisher whose signals the test sends. It records every request and cancellation.
///
/// ```swift
/// let probe = ProbePublisher<Int, Never>()
/// let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(2))
/// probe.filter { $0 > 1 }.subscribe(recorder)
///
/// probe.send(1)                    // returns .max(1): the filter requests another value
/// probe.sendSubscription()         // a second subscription, which breaks the contract
/// // probe.requests == [.max(2)], and probe.cancellations == 1: the operator has cancelled the second subscription
/// ```
///
/// It may break the contract: it sends values without demand, after the completion and after a cancellation, from any
/// thread. It sends each signal to all its subscribers, in the order of subscription, outside any lock.
public final class ProbePublisher<Output, Failure: Error>: Publisher {
    /// The time for which a probe keeps its subscribers.
    public enum Retention: Sendable {
        /// The probe releases a subscriber that cancels or is sent a completion, as every publisher must.
        case untilEnd

        /// The probe keeps all subscribers, and can send them signals after the end.
        case always
    }

    /// A call of a subscriber to its subscription.
    public typealias Command = SubscriptionCommand

    private let name: String
    private let sendsSubscription: Bool
    private let retention: Retention
    private let onRequest: (@Sendable (ProbePublisher, Subscribers.Demand) -> Void)?
    private let onCancel: (@Sendable () -> Void)?
    private let state = Locked(ProbeState<Output, Failure>())

    /// Creates a probe without subscribers.
    ///
    /// - Parameters:
    ///   - name: The description of its subscriptions.
    ///   - sendsSubscription: Whether a subscriber receives a subscription when it subscribes. If not, only
    ///     ``sendSubscription()`` sends one.
    ///   - retention: The time for which the probe keeps its subscribers.
    ///   - onRequest: Called with the probe from inside each request, after it is recorded. It may send signals.
    ///   - onCancel: Called from inside each cancellation, after it is recorded.
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

    /// The number of subscriptions made so far.
    public var subscriptionCount: Int { state.withLock { $0.commands.count } }

    /// The number of subscribers that the probe keeps.
    public var subscriberCount: Int { state.withLock { $0.targets.count } }

    /// The requests of all subscribers, in order, without the demand that they return from `receive(_:)`.
    public var requests: [Subscribers.Demand] { state.withLock { $0.requests } }

    /// The number of calls of `cancel()`.
    public var cancellations: Int { state.withLock { $0.cancellations } }

    /// The requests and cancellations of each subscriber, in order of subscription.
    public var commands: [[Command]] { state.withLock { $0.commands } }

    /// Sends every subscriber a new subscription.
    public func sendSubscription() {
        for target in targets { target.subscriber.receive(subscription: makeSubscription(for: target)) }
    }

    /// Sends every subscriber a value.
    ///
    /// - Returns: The sum of the demands that they return.
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
    ///   - value: The value to send.
    ///   - index: The index of the subscriber, in order of subscription. Does nothing if it is no longer kept.
    /// - Returns: The demand that it returns.
    @discardableResult
    public func send(_ value: Output, to index: Int) -> Subscribers.Demand {
        target(index)?.subscriber.receive(value) ?? .none
    }

    /// Sends one subscriber a completion.
    ///
    /// - Parameters:
    ///   - completion: The completion to send.
    ///   - index: The index of the subscriber, in order of subscription. Does nothing if it is no longer kept.
    public func send(completion: Subscribers.Completion<Failure>, to index: Int) {
        guard let target = target(index) else { return }
        target.subscriber.receive(completion: completion)
        if retention == .untilEnd { remove(target) }
    }

    /// Sends every subscriber a subscription of another publisher.
    public func send(subscription: any Subscription) {
        for target in targets { target.subscriber.receive(subscription: subscription) }
    }

    /// Releases every subscriber without a completion, as a publisher does that is released itself.
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

// Safe because a lock guards all state, and values only pass through.
extension ProbePublisher: @unchecked Sendable where Output: Sendable {}

// Safe because the publisher's lock guards it, and a subscriber is called only as the test calls the publisher.
private struct ProbeState<Output, Failure: Error>: @unchecked Sendable {
    var targets: [ProbeTarget<Output, Failure>] = []
    var requests: [Subscribers.Demand] = []
    var cancellations = 0
    var commands: [[SubscriptionCommand]] = []
}

/// A subscriber, in an object that has an identity.
// Safe because the subscriber is constant, and called only as the test calls the publisher.
private final class ProbeTarget<Output, Failure: Error>: @unchecked Sendable {
    let subscriber: AnySubscriber<Output, Failure>

    /// The number of subscribers before it.
    let index: Int

    init(_ subscriber: AnySubscriber<Output, Failure>, index: Int) {
        self.subscriber = subscriber
        self.index = index
    }
}

/// A probe's subscription. It keeps neither the probe nor the subscriber alive.
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
