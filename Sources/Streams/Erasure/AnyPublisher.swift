/// A publisher that hides the type of another.
///
/// The publisher behind it sees an ``AnySubscriber``, so the chain up to here is compiled as one unit. A value crosses the
/// boundary by one indirect call.
///
/// It is `Sendable` if its output is. So it is the type of a publisher that a `Sendable` type stores, that another task
/// subscribes to, or that an operator with the requirement `Self: Sendable` follows. A result of the type `some
/// Publisher` is not known to be `Sendable`, and is after ``Publisher/eraseToAnyPublisher()``:
///
/// ```swift
/// struct Feeds: Sendable { let prices: AnyPublisher<Int, Never> }
/// let feeds = Feeds(prices: prices().eraseToAnyPublisher())
/// ```
@frozen
public struct AnyPublisher<Output, Failure: Error>: Publisher, CustomStringConvertible,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline let box: ErasedPublisher<Output, Failure>

    /// Creates a publisher that hides the type of another. An `AnyPublisher` is not wrapped again.
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

// Safe because the program that erases a publisher ensures it. The compiler does not check it, since Combine's
// initializer takes any publisher. The publishers of this library hold `@Sendable` closures and are only subscribed to.
extension AnyPublisher: @unchecked Sendable where Output: Sendable {}

extension Publisher {
    /// Returns this publisher with its type hidden. The result is `Sendable` if its output is.
    @inlinable
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A publisher of any type.
///
/// The closure is specialised where the object is created; a method that is called dynamically would not be. It captures
/// nothing and downcasts the object that it is called with.
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
    /// Nil only while the box is being released, which alone changes it.
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
