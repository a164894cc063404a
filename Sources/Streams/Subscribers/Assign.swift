extension Subscribers {
    /// A subscriber that sets a property to each value. It retains the object until completion or cancellation.
    public final class Assign<Root, Input>: Subscriber, Cancellable, CustomStringConvertible, CustomReflectable,
        CustomPlaygroundDisplayConvertible
    {
        public typealias Failure = Never

        /// The key path of the property.
        public let keyPath: ReferenceWritableKeyPath<Root, Input>

        @usableFromInline let target: Locked<Root?>
        @usableFromInline let link = UpstreamLink()

        /// Creates a subscriber that requests all values.
        ///
        /// - Parameters:
        ///   - object: The object, retained until completion or cancellation.
        ///   - keyPath: The property, which is set on the delivering thread.
        @inlinable
        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            target = Locked(object)
            self.keyPath = keyPath
        }

        /// The object, nil after completion or cancellation.
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
            if link.complete() { releaseObject() }
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
    ///   - object: The object, retained until the stream completes or is cancelled.
    /// - Returns: The subscription, which is cancelled when it is released.
    @inlinable
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let subscriber = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(subscriber)
        return AnyCancellable(subscriber)
    }
}

extension Subscribers {
    /// The way in which a subscriber references its object.
    public enum Ownership: Hashable, Sendable {
        /// The subscriber retains the object.
        case strong

        /// The subscriber does not retain the object and ignores values after its release.
        case weak

        /// The subscriber does not retain the object. A value after its release stops the program.
        case unowned
    }
}

extension Publisher where Failure == Never {
    /// Sets a property of an object to each value, with a choice of how the object is referenced.
    ///
    /// ```swift
    /// name.assign(to: \.title, on: self, ownership: .weak).store(in: &activities)
    /// ```
    ///
    /// An object that stores the result of ``assign(to:on:)`` with itself as the target is never released. With `.weak`
    /// or `.unowned` it is.
    ///
    /// **Demand.** All values are requested at once.
    ///
    /// **Threads.** The property is set on the delivering thread.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object.
    ///   - ownership: The way in which the object is referenced.
    /// - Returns: The subscription, which is cancelled when it is released.
    @_disfavoredOverload
    public func assign<Root: AnyObject>(
        to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root, ownership: Subscribers.Ownership
    ) -> AnyCancellable {
        switch ownership {
        case .strong:
            return assign(to: keyPath, on: object)
        case .weak, .unowned:
            let target = WeakTarget(object: object, keyPath: keyPath, mayVanish: ownership == .weak)
            return sink { target.set($0) }
        }
    }
}

/// A property of an object that is not retained.
// Safe because a stream's signals are serial, and the property is set by nothing else here.
private struct WeakTarget<Root: AnyObject, Value>: @unchecked Sendable {
    weak var object: Root?
    let keyPath: ReferenceWritableKeyPath<Root, Value>
    let mayVanish: Bool

    func set(_ value: Value) {
        // Read once: another thread may release the object meanwhile.
        guard let object else { return precondition(mayVanish, "the unowned object has been released") }
        object[keyPath: keyPath] = value
    }
}
