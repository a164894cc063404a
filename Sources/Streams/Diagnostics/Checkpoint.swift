import Synchronization

extension Publisher {
    /// Observes the stream: the ``Census`` counts its subscriptions, and the ``StreamLog`` reports their start and end.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   checkpoint("orders")             Census: orders, 2 values, 1 failed
    /// ──1──2──✕ E
    /// ```
    ///
    /// The type of failure stays. ``labelError(_:fileID:line:)`` adds the label to errors.
    ///
    /// **Demand** passes through and is counted.
    ///
    /// **Completion** passes through after it has been reported.
    ///
    /// **Cancellation** passes through after it has been counted.
    ///
    /// **Threads.** Counting happens on the thread of the signal. A value takes no lock and allocates nothing.
    ///
    /// - Parameters:
    ///   - label: The name of the stream. Use a fixed set of labels: each makes a row for the life of the process.
    ///   - fileID: The file of the call.
    ///   - line: The line of the call.
    public func checkpoint(
        _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Operators.Checkpoint<Self> {
        Operators.Checkpoint(upstream: self, label: label, fileID: fileID, line: line)
    }
}

extension Operators {
    /// A publisher that observes its upstream.
    public struct Checkpoint<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream

        @usableFromInline let site: ObservedSite

        /// The call site.
        public var callSite: CallSite { site.callSite }

        /// Creates the publisher of ``Publisher/checkpoint(_:fileID:line:)``. It adds the call site to the ``Census``.
        public init(upstream: Upstream, label: String?, fileID: StaticString = #fileID, line: UInt = #line) {
            self.upstream = upstream
            site = SiteRegistry.shared.site(label: label, fileID: fileID, line: line)
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let inner = Inner(downstream: subscriber, link: CheckpointLink(site))
            site.identifySources { upstream.subscribe(inner) }
        }
    }
}

extension Operators.Checkpoint: Sendable where Upstream: Sendable {}

extension Operators.Checkpoint {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: CheckpointLink

        @inlinable
        init(downstream: Downstream, link: CheckpointLink) {
            self.downstream = downstream
            self.link = link
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.begin()
            // The downstream may request values now, and subscribe to other sources for them.
            ObservedSite.leaveUnidentified { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            link.counters.countValue()
            let additional = downstream.receive(input)
            if additional > .none { link.counters.countRequest(additional) }
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.isActive else { return }
            switch completion {
            case .finished: link.end(.finished)
            case .failure(let error): link.end(.failed(error))
            }
            // An observer of the log may have cancelled.
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}

/// The subscription of a checkpoint. It reports its beginning and its end once each.
@usableFromInline
// Safe because the state that it adds is constant or atomic.
final class CheckpointLink: UpstreamLink, @unchecked Sendable {
    private enum Watch: UInt8, AtomicRepresentable {
        case ahead
        case going
        case over
    }

    @usableFromInline let counters = SubscriptionCounters()
    private let site: ObservedSite
    private let watch = Atomic<Watch>(.ahead)

    @usableFromInline
    init(_ site: ObservedSite) {
        self.site = site
        super.init("Checkpoint")
    }

    deinit {
        end(.abandoned)
    }

    @usableFromInline
    func begin() {
        site.begin(counters)
        watch.store(.going, ordering: .releasing)
        StreamLog.report(.started, of: counters, at: site)
    }

    @usableFromInline
    func end(_ ending: SubscriptionOutcome) {
        let exchange = watch.compareExchange(expected: .going, desired: .over, ordering: .acquiringAndReleasing)
        guard exchange.exchanged else { return }
        site.end(counters, by: ending)
        StreamLog.report(StreamLog.Event(ending), of: counters, at: site)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if isActive { counters.countRequest(demand) }
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        // No other end can be reported from here on.
        guard let upstream = detach() else { return }
        end(.cancelled)
        upstream.cancel()
    }
}
