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
