/// The subscription of a source or operator that delivers one value, or nothing, and completes.
///
/// The outcome is known from the start, as with ``Just``, or resolved later, as with ``Future`` and the operators that
/// reduce a stream to one value. It is delivered as soon as there are both the outcome and demand for it, on the thread
/// that brings the second of the two. A failure does not wait for demand.
///
/// While the subscription is held, the outcome belongs to the thread that resolves it.
@usableFromInline
final class ScalarSubscription<Downstream: Subscriber>: PullSubscription {
    @usableFromInline
    enum Outcome {
        case value(Downstream.Input)

        /// No value: the stream finishes when a value would be delivered.
        case nothing

        /// A completion that does not wait for demand.
        case completion(Subscribers.Completion<Downstream.Failure>)
    }

    @usableFromInline
    struct Contents {
        @usableFromInline var downstream: Downstream?
        @usableFromInline var outcome: Outcome?

        @inlinable
        init(downstream: Downstream, outcome: Outcome?) {
            self.downstream = downstream
            self.outcome = outcome
        }
    }

    @inlinable var contents: UnsafeMutablePointer<Contents> { storage.contents(as: Contents.self) }

    /// - Parameters:
    ///   - name: The publisher's name, as `print()` writes it.
    ///   - value: The value, if it is known. The caller then calls `handOver(to:)`, and otherwise `resolve(_:)` after
    ///     the subscriber has received its subscription.
    ///   - downstream: The subscriber, released on delivery or cancellation.
    @inlinable
    init(_ name: String, value: Downstream.Input? = nil, downstream: Downstream) {
        let contents = Contents(downstream: downstream, outcome: value.map { .value($0) })
        super.init(name, isReady: value != nil, ErasedStorage(contents)) { subscription, action in
            let scalar = unsafeDowncast(subscription, to: ScalarSubscription<Downstream>.self)
            switch action {
            case .emit:
                scalar.deliver()
            case .release(let isWithheld):
                scalar.contents.pointee.downstream = nil
                if !isWithheld { scalar.contents.pointee.outcome = nil }
            }
        }
    }

    /// Sets the outcome, and delivers it if there is demand. Called at most once.
    @inlinable
    func resolve(_ outcome: Outcome) {
        contents.pointee.outcome = outcome
        let before: AtomicDemand.Reading
        var isDue = true
        if case .completion = outcome {
            before = demand.cancel()
        } else {
            before = demand.release()
            isDue = before.hasDemand
        }
        if before.isCancelled {
            contents.pointee.outcome = nil
        } else if isDue {
            deliver()
        }
    }

    /// Delivers the outcome. The downstream is nil if that has been done already.
    @inlinable
    func deliver() {
        guard let downstream = contents.pointee.downstream.take(), let outcome = contents.pointee.outcome.take() else {
            return
        }
        switch outcome {
        case .value(let value):
            _ = downstream.receive(value)
            if demand.reading.isCancelled { return }
            // So that `handOver(to:)` does not deliver again.
            demand.end()
            downstream.receive(completion: .finished)
        case .nothing:
            downstream.receive(completion: .finished)
        case .completion(let completion):
            downstream.receive(completion: completion)
        }
    }
}

/// The link of an operator that delivers one value of its own through a ``ScalarSubscription``, instead of the
/// upstream's values or after them. A cancellation goes to both, and requests if the upstream's values are passed on.
@usableFromInline
final class ScalarLink: UpstreamLink {
    private let scalar: PullSubscription
    private let forwardsDemand: Bool

    /// - Parameters:
    ///   - scalar: The subscription that delivers the operator's own value.
    ///   - forwardsDemand: Whether requests go to the upstream as well.
    @usableFromInline
    init(_ scalar: PullSubscription, forwardsDemand: Bool) {
        self.scalar = scalar
        self.forwardsDemand = forwardsDemand
        super.init(scalar.name)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        scalar.request(demand)
        if forwardsDemand { super.request(demand) }
    }

    @usableFromInline
    override func cancel() {
        scalar.cancel()
        super.cancel()
    }
}
