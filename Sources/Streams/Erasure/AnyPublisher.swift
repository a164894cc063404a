/// A publisher that hides which one it is.
///
/// Behind it the publisher sees one kind of subscriber, ``AnySubscriber``, so that the chain up to here can be compiled
/// as one piece: a value crosses this boundary by one virtual call.
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline let box: ErasedPublisher<Output, Failure>

    /// Wraps a publisher. One that is wrapped already is not wrapped again.
    @inlinable
    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        if let erased = publisher as? AnyPublisher<Output, Failure> {
            self = erased
        } else {
            box = PublisherBox(publisher)
        }
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        box.attach(box, AnySubscriber(subscriber))
    }

    public var description: String { "AnyPublisher" }
    public var playgroundDescription: Any { description }
}

// Safe because whoever erases a publisher vouches for it; the compiler does not, as what is erased need not be Sendable.
// It is a concession to Combine, whose initializer takes any publisher: one that asked for more would refuse what
// programs erase. The library's own publishers keep `@Sendable` closures, and are only ever asked for subscriptions.
extension AnyPublisher: @unchecked Sendable where Output: Sendable {}

extension Publisher {
    /// Hides the type of this publisher.
    @inlinable
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> {
        AnyPublisher(self)
    }
}

/// A publisher of some kind.
///
/// The closure is specialised where the object is made, as a method that is called dynamically would not be: everything
/// upstream of here is compiled for this publisher then. It captures nothing, and downcasts the object it is called
/// with.
@usableFromInline
class ErasedPublisher<Output, Failure: Error> {
    @usableFromInline final let attach: (ErasedPublisher, AnySubscriber<Output, Failure>) -> Void

    @inlinable
    init(attach: @escaping (ErasedPublisher, AnySubscriber<Output, Failure>) -> Void) {
        self.attach = attach
    }
}

@usableFromInline
final class PublisherBox<Base: Publisher>: ErasedPublisher<Base.Output, Base.Failure> {
    /// Only ever nil while the box is being released.
    @exclusivity(unchecked) @usableFromInline var base: Base?

    @inlinable
    init(_ base: Base) {
        self.base = base
        super.init { unsafeDowncast($0, to: PublisherBox<Base>.self).base?.subscribe($1) }
    }

    @inlinable
    deinit {
        withUnsafeMutablePointer(to: &base) { IterativeRelease.release($0) }
    }
}
