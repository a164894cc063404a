extension Operators {
    /// A publisher with a resource that lives as long as each subscription.
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
    /// **Completion.** The resource is released right before the completion is delivered, so who reacts to it finds it
    /// free.
    ///
    /// **Cancellation** cancels the publisher, and then releases the resource, on the thread that cancels. A resource
    /// is released exactly once, also when a publisher goes away without completing.
    ///
    /// **Threads.** The resource is acquired on the thread that subscribes, and released on the one that ends the
    /// stream.
    public struct Using<Resource, Base: Publisher>: Publisher {
        public typealias Output = Base.Output
        public typealias Failure = Base.Failure

        /// Acquires the resource for one subscriber.
        public let resource: @Sendable () throws(Failure) -> Resource

        /// Releases it.
        public let release: @Sendable (Resource) -> Void

        /// Makes the publisher that uses it.
        public let publisher: @Sendable (Resource) -> Base

        /// - Parameters:
        ///   - resource: Called for each subscriber.
        ///   - release: Called once for each resource.
        ///   - publisher: Makes the publisher that uses the resource.
        @preconcurrency
        public init(
            resource: @escaping @Sendable () -> Resource,
            release: @escaping @Sendable (Resource) -> Void,
            publisher: @escaping @Sendable (Resource) -> Base
        ) {
            self.init(
                throwing: Failure.self, resource: { () throws(Failure) in resource() }, release: release,
                publisher: publisher)
        }

        /// A closure of several lines spells its type out, as the compiler does not infer it:
        /// `{ () throws(SensorError) -> Session in … }`.
        ///
        /// - Parameters:
        ///   - errorType: The publisher's type of failure.
        ///   - resource: Called for each subscriber. What it throws is delivered as the failure, and nothing is
        ///     released.
        ///   - release: Called once for each resource.
        ///   - publisher: Makes the publisher that uses the resource.
        @preconcurrency
        public init(
            throwing errorType: Failure.Type,
            resource: @escaping @Sendable () throws(Failure) -> Resource,
            release: @escaping @Sendable (Resource) -> Void,
            publisher: @escaping @Sendable (Resource) -> Base
        ) {
            self.resource = resource
            self.release = release
            self.publisher = publisher
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            do throws(Failure) {
                let acquired = try resource()
                let link = UsingSubscription { [release] in release(acquired) }
                publisher(acquired).subscribe(Inner(downstream: subscriber, link: link))
            } catch {
                Fail(error: error).subscribe(subscriber)
            }
        }
    }
}

extension Operators.Using: Sendable {}

extension Operators.Using {
    private struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let downstream: Downstream
        let link: UsingSubscription

        func receive(subscription: any Subscription) {
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        func receive(_ input: Output) -> Subscribers.Demand {
            link.isActive ? downstream.receive(input) : .none
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            guard link.complete() else { return }
            link.release()
            downstream.receive(completion: completion)
        }
    }
}

/// A subscription with something to release at its end.
// Safe because what is to be done is behind a lock, and done by whoever takes it out.
private final class UsingSubscription: UpstreamLink, @unchecked Sendable {
    private let action: Locked<(() -> Void)?>

    init(_ action: @escaping () -> Void) {
        self.action = Locked(action)
        super.init()
    }

    override var description: String { "Using" }

    deinit {
        release()
    }

    override func cancel() {
        super.cancel()
        release()
    }

    func release() {
        action.withLock { $0.take() }?()
    }
}
