import Streams

extension Publisher {
    /// Checks that this publisher and its subscribers keep the contract, and lists each breach in a checker.
    ///
    /// ```swift
    /// let checker = ContractChecker()
    /// numbers.checkingContract(with: checker).subscribe(recorder)
    /// #expect(checker.breaches == [])
    /// ```
    ///
    /// Signals, requests and cancellations pass through unchanged, also those that break a rule. Each subscription is
    /// checked by itself. The article <doc:TestingStreams> lists the breaches.
    ///
    /// - Parameters:
    ///   - label: A name for this place of the stream, part of each breach found here.
    ///   - checker: The checker that lists the breaches.
    ///   - fileID: The file that calls this method.
    ///   - line: The line that calls this method.
    public func checkingContract(
        _ label: String? = nil, with checker: ContractChecker, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ContractCheckingPublisher<Self> {
        checkingContract(label, fileID: fileID, line: line) { checker.add($0) }
    }

    /// Checks that this publisher and its subscribers keep the contract, and calls a closure with each breach.
    ///
    /// ```swift
    /// numbers.checkingContract { Issue.record("\($0)") }.subscribe(recorder)      // in XCTest: { XCTFail("\($0)") }
    /// ```
    ///
    /// Signals, requests and cancellations pass through unchanged, also those that break a rule. Each subscription is
    /// checked by itself. The article <doc:TestingStreams> lists the breaches.
    ///
    /// - Parameters:
    ///   - label: A name for this place of the stream, part of each breach found here.
    ///   - fileID: The file that calls this method.
    ///   - line: The line that calls this method.
    ///   - onBreach: Called with each breach, on the thread of the breach and outside any lock.
    public func checkingContract(
        _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        onBreach: @escaping @Sendable (ContractBreach) -> Void
    ) -> ContractCheckingPublisher<Self> {
        ContractCheckingPublisher(
            upstream: self, site: CheckingSite(label: label, fileID: fileID, line: line, onBreach: onBreach))
    }
}

/// The publisher that `checkingContract(_:with:)` and `checkingContract(_:onBreach:)` return.
public struct ContractCheckingPublisher<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher that this one checks.
    public let upstream: Upstream

    let site: CheckingSite

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let check = SubscriptionCheck(site)
        // Values are sent to such a subscriber as if it had requested all of them.
        if subscriber.needsEveryValue { check.request(.unlimited) }
        upstream.subscribe(ContractCheckingSubscriber(downstream: subscriber, check: check))
    }
}

extension ContractCheckingPublisher: Sendable where Upstream: Sendable {}

/// A call of `checkingContract`.
struct CheckingSite: Sendable {
    let label: String?
    let fileID: StaticString
    let line: UInt
    let onBreach: @Sendable (ContractBreach) -> Void

    func report(_ kind: ContractBreach.Kind, signal: ContractBreach.Signal? = nil) {
        onBreach(ContractBreach(kind: kind, signal: signal, label: label, fileID: fileID.description, line: line))
    }
}

/// The check of one subscription, shared by its two ends.
private final class SubscriptionCheck: Sendable {
    private let site: CheckingSite
    private let monitor = Locked(SignalMonitor())

    init(_ site: CheckingSite) {
        self.site = site
    }

    /// - Returns: Whether the subscriber has had no subscription before.
    @discardableResult
    func begin(_ signal: ContractBreach.Signal) -> Bool {
        let (isFirst, violations) = monitor.withLock { monitor in
            let isFirst = !monitor.hasSubscription
            return (isFirst, monitor.begin(signal))
        }
        for violation in violations { site.report(.publisher(violation), signal: signal) }
        return isFirst
    }

    func end(requesting demand: Subscribers.Demand = .none) {
        monitor.withLock { monitor in
            monitor.request(demand)
            monitor.end()
        }
    }

    func endSecondSubscription(isCancelled: Bool) {
        if !isCancelled { site.report(.subscriber(.secondSubscriptionNotCancelled)) }
        end()
    }

    func request(_ demand: Subscribers.Demand) {
        if demand == .none { site.report(.subscriber(.requestForNothing)) }
        monitor.withLock { $0.request(demand) }
    }

    func didCancel() {
        monitor.withLock { $0.didCancel() }
    }
}

private struct ContractCheckingSubscriber<Downstream: Subscriber>: Subscriber {
    let downstream: Downstream
    let check: SubscriptionCheck

    var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
    var needsEveryValue: Bool { downstream.needsEveryValue }

    func receive(subscription: any Subscription) {
        let isFirst = check.begin(.subscription)
        let checked = ContractCheckingSubscription(subscription, check: check, isFirst: isFirst)
        downstream.receive(subscription: checked)
        if isFirst { check.end() } else { check.endSecondSubscription(isCancelled: checked.isCancelled) }
    }

    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        check.begin(.value)
        let demand = downstream.receive(input)
        check.end(requesting: demand)
        return demand
    }

    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        check.begin(.completion)
        downstream.receive(completion: completion)
        check.end()
    }
}

extension ContractCheckingSubscriber: CustomStringConvertible, CustomReflectable {
    var description: String {
        (downstream as? any CustomStringConvertible)?.description ?? String(describing: Downstream.self)
    }

    var customMirror: Mirror {
        (downstream as? any CustomReflectable)?.customMirror ?? Mirror(downstream, children: EmptyCollection())
    }
}

/// A subscription that knows neither the publisher nor the subscriber, so that it keeps neither of them alive.
private final class ContractCheckingSubscription: Subscription, CustomStringConvertible, CustomReflectable {
    private let upstream: any Subscription
    private let check: SubscriptionCheck
    private let isFirst: Bool
    private let cancelled = Locked(false)

    init(_ upstream: any Subscription, check: SubscriptionCheck, isFirst: Bool) {
        self.upstream = upstream
        self.check = check
        self.isFirst = isFirst
    }

    var isCancelled: Bool { cancelled.withLock { $0 } }

    var combineIdentifier: CombineIdentifier { upstream.combineIdentifier }
    var description: String { String(describing: upstream) }
    var customMirror: Mirror { Mirror(reflecting: upstream) }

    func request(_ demand: Subscribers.Demand) {
        // Before the upstream knows of it: it may deliver from inside `request`.
        check.request(demand)
        upstream.request(demand)
    }

    func cancel() {
        cancelled.withLock { $0 = true }
        upstream.cancel()
        // A second subscription is not the one that delivers.
        if isFirst { check.didCancel() }
    }
}
