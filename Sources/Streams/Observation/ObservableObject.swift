/// An object that has a publisher which signals before the object changes.
///
/// ```swift
/// final class Download: ObservableObject {
///     @Published var received = 0
///     @Published var isDone = false
/// }
///
/// let download = Download()
/// let watching = download.objectWillChange.sink { print("it had", download.received) }
/// ```
///
/// The default publisher sends a signal before any ``Published`` property of the object changes, also an inherited one.
/// If a property is set while another signal is being delivered, its signal follows that one and may come after the
/// change.
public protocol ObservableObject: AnyObject {
    /// The type of the publisher that signals changes.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// A publisher that sends a signal before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// A publisher that sends a signal before any ``Published`` property of this object changes.
    ///
    /// It is the same publisher each time, on any thread. An object without such properties has no place to store it,
    /// and returns a new publisher each time, which only sends the signals of its own `send()`.
    public var objectWillChange: ObservableObjectPublisher {
        var mirror: Mirror? = Mirror(reflecting: self)
        var properties: [any ObservedProperty] = []
        while let level = mirror {
            for case let property as any ObservedProperty in level.children.lazy.map(\.value) {
                // The first property is the last to store the publisher, so if it has one, all have.
                if properties.isEmpty, let known = property.objectWillChange { return known }
                properties.append(property)
            }
            mirror = level.superclassMirror
        }
        // If several threads do this at once, the first to reach the last property decides for all.
        return properties.reversed().reduce(ObservableObjectPublisher()) { $1.announceChanges(by: $0) }
    }
}

/// A property that signals to its object's publisher before it changes.
protocol ObservedProperty {
    /// The object's publisher, nil until it is first used.
    var objectWillChange: ObservableObjectPublisher? { get }

    /// Stores the publisher to signal to, unless one is stored already.
    ///
    /// - Returns: The publisher that is stored.
    func announceChanges(by publisher: ObservableObjectPublisher) -> ObservableObjectPublisher
}

/// A publisher that signals that an object is about to change.
///
/// As in Combine, a subscriber that has requested any signal receives all of them.
public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    // Safe because the core makes signals from any thread serial, and signals carry no value.
    private let core = SubjectCore<Void, Never>("ObservableObjectPublisher")

    /// Creates a publisher.
    public init() {}

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        core.subscribe(Inner(downstream: subscriber))
    }

    /// Sends a signal to all subscribers.
    ///
    /// A signal that is sent while another one is being delivered, on another thread or from inside a callback, is
    /// delivered after that one.
    public func send() { core.send(()) }
}

extension ObservableObjectPublisher {
    /// A link that makes any demand unlimited.
    private final class UnlimitedLink: UpstreamLink {
        override func request(_ demand: Subscribers.Demand) {
            if demand > .none { super.request(.unlimited) }
        }
    }

    private struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Void, Downstream.Failure == Never {
        let downstream: Downstream
        let link = UnlimitedLink("ObservableObjectPublisher")

        func receive(_ input: Void) -> Subscribers.Demand { link.isActive ? downstream.receive(input) : .none }
    }
}
