/// A subscriber that hides the type of another, or consists of closures.
@frozen
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    @usableFromInline let box: ErasedSubscriber<Input, Failure>

    public let combineIdentifier: CombineIdentifier

    /// Creates a subscriber that hides the type of another and has its identifier. An `AnySubscriber` is not wrapped again.
    @inlinable
    public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
        if let erased = subscriber as? AnySubscriber<Input, Failure> {
            self = erased
        } else {
            box = SubscriberBox(subscriber)
            combineIdentifier = subscriber.combineIdentifier
        }
    }

    /// Creates a subscriber from closures. Signals without a closure are ignored.
    ///
    /// - Parameters:
    ///   - receiveSubscription: A closure called with the subscription, which requests values from it.
    ///   - receiveValue: A closure called with each value, which returns the additional demand.
    ///   - receiveCompletion: A closure called with the completion.
    @preconcurrency
    @inlinable
    public init(
        receiveSubscription: (@Sendable (any Subscription) -> Void)? = nil,
        receiveValue: (@Sendable (Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: (@Sendable (Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        self.init(
            AnonymousSubscriber(
                subscription: receiveSubscription ?? { _ in },
                value: receiveValue ?? { _ in .none },
                completion: receiveCompletion ?? { _ in }))
    }

    @inlinable public var needsEveryValue: Bool { box.needsEveryValue }

    @inlinable
    public func receive(subscription: any Subscription) { box.onControl(box, .subscription(subscription)) }

    @inlinable
    public func receive(_ value: Input) -> Subscribers.Demand { box.onValue(box, value) }

    @inlinable
    public func receive(completion: Subscribers.Completion<Failure>) { box.onControl(box, .completion(completion)) }
}

extension AnySubscriber: CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    public var description: String {
        (box.base as? any CustomStringConvertible)?.description ?? String(describing: type(of: box.base))
    }

    public var customMirror: Mirror {
        (box.base as? any CustomReflectable)?.customMirror ?? Mirror(box.base, children: EmptyCollection())
    }

    public var playgroundDescription: Any {
        (box.base as? any CustomPlaygroundDisplayConvertible)?.playgroundDescription ?? description
    }
}

/// A subscriber of any type.
///
/// The closures are specialised where the object is created; methods that are called dynamically would not be. They
/// capture nothing and downcast the object that they are called with.
@usableFromInline
class ErasedSubscriber<Input, Failure: Error> {
    @usableFromInline
    enum Control {
        case subscription(any Subscription)
        case completion(Subscribers.Completion<Failure>)
    }

    @usableFromInline final let onValue: (ErasedSubscriber, Input) -> Subscribers.Demand
    @usableFromInline final let onControl: (ErasedSubscriber, Control) -> Void
    @usableFromInline final let needsEveryValue: Bool

    @inlinable
    init(
        needsEveryValue: Bool,
        onValue: @escaping (ErasedSubscriber, Input) -> Subscribers.Demand,
        onControl: @escaping (ErasedSubscriber, Control) -> Void
    ) {
        self.needsEveryValue = needsEveryValue
        self.onValue = onValue
        self.onControl = onControl
    }

    @usableFromInline var base: Any { preconditionFailure("overridden") }
}

@usableFromInline
final class SubscriberBox<Base: Subscriber>: ErasedSubscriber<Base.Input, Base.Failure> {
    @usableFromInline let subscriber: Base

    // Inlined, an object that is kept in another one of the same function was put on the stack and released at once: the
    // compiler (6.3) does not see that it escapes.
    @inlinable
    @inline(never)
    init(_ subscriber: Base) {
        self.subscriber = subscriber
        super.init(
            needsEveryValue: subscriber.needsEveryValue,
            onValue: { unsafeDowncast($0, to: SubscriberBox<Base>.self).subscriber.receive($1) },
            onControl: { box, signal in
                let subscriber = unsafeDowncast(box, to: SubscriberBox<Base>.self).subscriber
                switch signal {
                case .subscription(let subscription): subscriber.receive(subscription: subscription)
                case .completion(let completion): subscriber.receive(completion: completion)
                }
            })
    }

    @usableFromInline override var base: Any { subscriber }
}

/// The subscriber of an `AnySubscriber` created from closures.
@usableFromInline
struct AnonymousSubscriber<Input, Failure: Error>: Subscriber, CustomStringConvertible {
    @usableFromInline let subscription: @Sendable (any Subscription) -> Void
    @usableFromInline let value: @Sendable (Input) -> Subscribers.Demand
    @usableFromInline let completion: @Sendable (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let combineIdentifier = CombineIdentifier()

    @usableFromInline var description: String { "Anonymous AnySubscriber" }

    @inlinable
    init(
        subscription: @escaping @Sendable (any Subscription) -> Void,
        value: @escaping @Sendable (Input) -> Subscribers.Demand,
        completion: @escaping @Sendable (Subscribers.Completion<Failure>) -> Void
    ) {
        self.subscription = subscription
        self.value = value
        self.completion = completion
    }

    @inlinable
    func receive(subscription: any Subscription) { self.subscription(subscription) }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand { value(input) }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) { self.completion(completion) }
}
