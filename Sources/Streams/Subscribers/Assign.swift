extension Subscribers {
    /// A subscriber that sets a property of an object to each value. It keeps the object until completion or
    /// cancellation.
    public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
        CustomPlaygroundDisplayConvertible
    {
        public typealias Failure = Never

        /// The property that is set.
        public let keyPath: ReferenceWritableKeyPath<Root, Input>

        @usableFromInline let target: Locked<Root?>
        @usableFromInline let link = UpstreamLink(.assign)

        /// - Parameters:
        ///   - object: Kept alive until completion or cancellation.
        ///   - keyPath: The property that is set, on the thread that delivers.
        @inlinable
        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            target = Locked(object)
            self.keyPath = keyPath
        }

        /// The object whose property is set, nil after completion or cancellation.
        @inlinable public var object: Root? { target.withLock { $0 } }

        @inlinable
        public func receive(subscription: any Subscription) {
            if link.attach(subscription) { subscription.request(.unlimited) }
        }

        @inlinable
        public func receive(_ value: Input) -> Subscribers.Demand {
            if link.isActive, let object { object[keyPath: keyPath] = value }
            return .none
        }

        @inlinable
        public func receive(completion: Subscribers.Completion<Never>) {
            if link.finish() { releaseObject() }
        }

        public func cancel() {
            link.cancel()
            releaseObject()
        }

        @inlinable
        func releaseObject() {
            let released = target.withLock { $0.take() }
            withExtendedLifetime(released) {}
        }

        public var description: String { "Assign \(Root.self)." }

        public var customMirror: Mirror {
            Mirror(self, children: ["object": object as Any, "keyPath": keyPath, "status": link.isActive])
        }

        public var playgroundDescription: Any { description }
    }
}

extension Publisher where Failure == Never {
    /// Sets a property of an object to each value.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: Kept alive until the stream completes or is cancelled.
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    @inlinable
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let subscriber = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(subscriber)
        return AnyCancellable(subscriber)
    }
}
