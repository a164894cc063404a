/// An object with a publisher that sends a signal before the object changes.
///
/// ```swift
/// final class Download: ObservableObject {
///     @Published var received = 0
///     @Published var isDone = false
/// }
///
/// let download = Download()
/// let cancellable = download.objectWillChange.sink { print("before the change:", download.received) }
/// ```
///
/// The default publisher sends a signal before any ``Published`` property of the object changes, including inherited
/// properties. If a property is set while another signal is being delivered, its signal is delivered after that one,
/// when the property may have changed already.
public protocol ObservableObject: AnyObject {
    /// The type of the publisher that sends a signal before the object changes.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// A publisher that sends a signal before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// A publisher that sends a signal before any ``Published`` property of this object changes.
    ///
    /// The publisher is the same each time, on any thread. An object without such properties cannot store it: it
    /// returns a new publisher each time, which sends a signal only when ``ObservableObjectPublisher/send()`` is
    /// called.
    public var objectWillChange: ObservableObjectPublisher {
        var mirror: Mirror? = Mirror(reflecting: self)
        var properties: [any ObservedProperty] = []
        while let level = mirror {
            for case let property as any ObservedProperty in level.children.lazy.map(\.value) {
                // The first property is attached last. If it has a publisher, all properties have it.
                if properties.isEmpty, let attached = property.objectWillChange { return attached }
                properties.append(property)
            }
            mirror = level.superclassMirror
        }
        // If several threads do this at once, all use the publisher that is attached to the last property first.
        return properties.reversed().reduce(ObservableObjectPublisher()) { $1.attach($0) }
    }
}

/// A property that sends a signal to its object's publisher before it changes.
protocol ObservedProperty {
    /// The publisher that sends the property's signals, or nil if none is attached yet.
    var objectWillChange: ObservableObjectPublisher? { get }

    /// Attaches the publisher that sends the property's signals, unless one is attached already.
    ///
    /// - Returns: The publisher that is attached.
    func attach(_ publisher: ObservableObjectPublisher) -> ObservableObjectPublisher
}

/// A publisher that sends a signal when an object is about to change.
///
/// As in Combine, a subscriber that has requested any signal receives all of them: signals carry no values, and need no
/// backpressure.
public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    // Safe because the core makes signals from any thread serial, and they carry no values.
    private let core = SubjectCore<Void, Never>("ObservableObjectPublisher")

    /// Creates a publisher without subscribers.
    public init() {}

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        core.subscribe(Inner(downstream: subscriber))
    }

    /// Sends a signal to all subscribers.
    ///
    /// A signal that is sent while another one is being delivered, on another thread or from inside a callback, is
    /// delivered after that one.
    public func send() {
        core.send(())
    }
}

extension ObservableObjectPublisher {
    /// A subscription that turns any demand into unlimited demand.
    private final class UnlimitedSubscription: UpstreamLink {
        override var description: String { "ObservableObjectPublisher" }

        override func request(_ demand: Subscribers.Demand) {
            if demand > .none { super.request(.unlimited) }
        }
    }

    private struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Void, Downstream.Failure == Never {
        let downstream: Downstream
        let link = UnlimitedSubscription()

        func receive(_ input: Void) -> Subscribers.Demand {
            link.isActive ? downstream.receive(input) : .none
        }
    }
}
