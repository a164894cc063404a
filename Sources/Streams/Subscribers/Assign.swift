extension Subscribers {
    /// A subscriber that sets a property of an object to each value. It keeps the object until completion or
    /// cancellation.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        public typealias Failure = Never

        /// The property that is set.
        public let keyPath: ReferenceWritableKeyPath<Root, Input>

        @usableFromInline let target: Locked<Root?>
        @usableFromInline let link = UpstreamLink()

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
    ///   - object: Kept alive until the stream completes or is cancelled.
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    @inlinable
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let subscriber = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(subscriber)
        return AnyCancellable(subscriber)
    }
}

extension Subscribers {
    /// How a subscriber holds the object it works on.
    public enum Ownership: Hashable, Sendable {
        /// It keeps the object alive.
        case strong

        /// It does not keep the object alive, and does nothing once that is gone.
        case weak

        /// It does not keep the object alive, and traps if a value comes once that is gone.
        case unowned
    }
}

extension Publisher where Failure == Never {
    /// Sets a property of an object to each value, and says who owns the object.
    ///
    /// ```swift
    /// name.assign(to: \.title, on: self, ownership: .weak).store(in: &activities)
    /// ```
    ///
    /// An object that keeps the result of ``assign(to:on:)`` on itself is never released. With `.weak` or `.unowned` it
    /// is.
    ///
    /// **Demand.** Everything is asked for at once.
    ///
    /// **Threads.** The property is set on the thread that delivers the value.
    ///
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - object: The object.
    ///   - ownership: Whether the object is kept alive until the stream ends.
    /// - Returns: Keep it: the subscription is cancelled when it is released.
    @_disfavoredOverload
    public func assign<Root: AnyObject>(
        to keyPath: ReferenceWritableKeyPath<Root, Output>,
        on object: Root,
        ownership: Subscribers.Ownership
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

/// A property of an object that is not kept alive.
// Safe because a stream's signals are serial, and the property is set by nothing else here.
private struct WeakTarget<Root: AnyObject, Value>: @unchecked Sendable {
    weak var object: Root?
    let keyPath: ReferenceWritableKeyPath<Root, Value>
    let mayVanish: Bool

    func set(_ value: Value) {
        // Looked at once: it may go on another thread meanwhile.
        guard let object else { return precondition(mayVanish, "the unowned object has been released") }
        object[keyPath: keyPath] = value
    }
}

extension Publisher where Failure == Never {
    /// Sets a ``Published`` property to every value.
    ///
    /// ```swift
    /// clock.assign(to: &model.$now)
    /// ```
    ///
    /// **Demand.** All values there are are asked for.
    ///
    /// **Cancellation.** There is nothing to keep: the subscription is cancelled when the property goes, with its
    /// object. It does not keep the object.
    ///
    /// - Parameter published: The property's publisher, as `&object.$property`.
    public func assign(to published: inout Published<Output>.Publisher) {
        subscribe(PublishedSubscriber(storage: published.storage))
    }
}

/// Sets a property as long as there is one.
private struct PublishedSubscriber<Value>: Subscriber {
    weak var storage: PublishedStorage<Value>?
    let link = UpstreamLink()

    var combineIdentifier: CombineIdentifier { link.combineIdentifier }

    func receive(subscription: any Subscription) {
        guard link.attach(subscription) else { return }
        // The subject asks for everything, and cancels when it goes.
        if let storage { storage.subject.send(subscription: link) } else { link.cancel() }
    }

    func receive(_ input: Value) -> Subscribers.Demand {
        if link.isActive { storage?.set(input) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Never>) {
        _ = link.complete()
    }
}
