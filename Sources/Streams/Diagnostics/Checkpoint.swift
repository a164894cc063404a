import Synchronization

extension Publisher {
    /// Has the stream watched from here: its subscriptions are in the ``Census``, and their beginnings and ends in the
    /// ``StreamLog``, by the label and the place where this is written.
    ///
    /// ```
    /// ──1──2──✕ E
    ///   checkpoint("orders")             Census: orders, 2 values, 1 failed
    /// ──1──2──✕ E
    /// ```
    ///
    /// The type of failure stays what it is, so that a checkpoint can be put anywhere. An error that carries the label
    /// is what ``labelError(_:fileID:line:)`` makes.
    ///
    /// **Demand** passes through and is counted.
    /// **Completion** passes through, after the log was told.
    /// **Cancellation** passes through, after it was counted.
    /// **Threads**: all is counted on the thread on which it happens; a value takes no lock and allocates nothing.
    ///
    /// - Parameters:
    ///   - label: What to call the stream. One of a fixed set, as each label makes a row for the rest of the process's
    ///     life.
    ///   - fileID: Where this is written.
    ///   - line: Where this is written.
    public func checkpoint(
        _ label: String? = nil, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Operators.Checkpoint<Self> {
        Operators.Checkpoint(upstream: self, label: label, fileID: fileID, line: line)
    }
}

extension Operators {
    /// The publisher that ``Publisher/checkpoint(_:fileID:line:)`` makes.
    public struct Checkpoint<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        @usableFromInline let site: ObservedSite

        /// Where the stream is watched.
        public var callSite: CallSite { site.callSite }

        /// Makes the publisher; ``Publisher/checkpoint(_:fileID:line:)`` is the usual way to it. The call site has its
        /// row in the ``Census`` from then on.
        public init(upstream: Upstream, label: String?, fileID: StaticString = #fileID, line: UInt = #line) {
            self.upstream = upstream
            site = SiteRegistry.shared.site(label: label, fileID: fileID, line: line)
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, link: CheckpointSubscription(site)))
        }
    }
}

extension Operators.Checkpoint: Sendable where Upstream: Sendable {}

extension Operators.Checkpoint {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: CheckpointSubscription

        @inlinable
        init(downstream: Downstream, link: CheckpointSubscription) {
            self.downstream = downstream
            self.link = link
        }

        @inlinable
        func receive(subscription: any Subscription) {
            guard link.attach(subscription) else { return }
            link.begin()
            downstream.receive(subscription: link)
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

/// The subscription of a checkpoint: it reports its beginning and its end, once each.
@usableFromInline
// Safe because what it adds is constant or atomic.
final class CheckpointSubscription: UpstreamLink, @unchecked Sendable {
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
        super.init()
    }

    @usableFromInline override var description: String { "Checkpoint" }

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
        // Nothing else can be the end from here on.
        guard let upstream = detach() else { return }
        end(.cancelled)
        upstream.cancel()
    }
}
