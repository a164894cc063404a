extension Operators {
    /// A publisher with a resource for the time of each subscription.
    ///
    /// ```swift
    /// Operators.Using {
    ///     monitor.open()
    /// } release: { session in
    ///     session.close()
    /// } publisher: { session in
    ///     session.readings
    /// }
    /// ```
    ///
    /// ```
    ///  acquire                release
    /// ──┴──1──2──3──────────────┴|
    /// ```
    ///
    /// **Demand** passes through.
    ///
    /// **Completion.** The resource is released right before the completion is delivered.
    ///
    /// **Cancellation** cancels the publisher and then releases the resource, on the calling thread. A resource is released
    /// exactly once, also when its publisher is released without completing.
    ///
    /// **Threads.** The resource is acquired on the subscribing thread and released on the one that ends the stream.
    public struct Using<Resource, Base: Publisher>: Publisher {
        public typealias Output = Base.Output
        public typealias Failure = Base.Failure

        /// A closure that acquires the resource for one subscriber.
        public let resource: @Sendable () throws(Failure) -> Resource

        /// A closure that releases the resource.
        public let release: @Sendable (Resource) -> Void

        /// A closure that returns the publisher that uses the resource.
        public let publisher: @Sendable (Resource) -> Base

        /// Creates a publisher whose resource is always available.
        ///
        /// - Parameters:
        ///   - resource: A closure that acquires the resource for one subscriber.
        ///   - release: A closure called once with each resource.
        ///   - publisher: A closure that returns the publisher that uses the resource.
        @preconcurrency
        public init(
            resource: @escaping @Sendable () -> Resource, release: @escaping @Sendable (Resource) -> Void,
            publisher: @escaping @Sendable (Resource) -> Base
        ) {
            self.init(
                throwing: Failure.self, resource: { () throws(Failure) in resource() }, release: release,
                publisher: publisher)
        }

        /// Creates a publisher that fails if its resource is not available.
        ///
        /// A closure of several lines spells out its type, which the compiler does not infer:
        /// `{ () throws(SensorError) -> Session in … }`.
        ///
        /// - Parameters:
        ///   - errorType: The publisher's type of failure.
        ///   - resource: A closure that acquires the resource for one subscriber. An error that it throws is the failure.
        ///   - release: A closure called once with each resource.
        ///   - publisher: A closure that returns the publisher that uses the resource.
        @preconcurrency
        public init(
            throwing errorType: Failure.Type, resource: @escaping @Sendable () throws(Failure) -> Resource,
            release: @escaping @Sendable (Resource) -> Void, publisher: @escaping @Sendable (Resource) -> Base
        ) {
            self.resource = resource
            self.release = release
            self.publisher = publisher
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            do throws(Failure) {
                let acquired = try resource()
                let link = UsingLink { [release] in release(acquired) }
                publisher(acquired).subscribe(Inner(downstream: subscriber, link: link))
            } catch {
                Fail(error: error).subscribe(subscriber)
            }
        }
    }
}

extension Operators.Using: Sendable {}

extension Operators.Using {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: UsingLink

        @inlinable
        init(downstream: Downstream, link: UsingLink) {
            self.downstream = downstream
            self.link = link
        }

        @inlinable
        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Output) -> Subscribers.Demand {
            link.isActive ? downstream.receive(input) : .none
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Failure>) {
            guard link.complete() else { return }
            link.release()
            downstream.receive(completion: completion)
        }
    }
}

/// A subscription that releases a resource at its end.
@usableFromInline
// Safe because the action is guarded by a lock and called by the thread that takes it out.
final class UsingLink: UpstreamLink, @unchecked Sendable {
    private let action: Locked<(() -> Void)?>

    @usableFromInline
    init(_ action: @escaping () -> Void) {
        self.action = Locked(action)
        super.init("Using")
    }

    deinit {
        release()
    }

    @usableFromInline
    override func cancel() {
        super.cancel()
        release()
    }

    @usableFromInline
    func release() {
        action.withLock { $0.take() }?()
    }
}
