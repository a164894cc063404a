/// An object that tells when it is about to change.
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
/// The publisher there is by default sends a signal before any ``Published`` property of the object changes, inherited
/// ones included. The signal for a property that is set while another signal is being delivered follows that one, and
/// may find the property changed.
public protocol ObservableObject: AnyObject {
    /// What tells of changes.
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never

    /// Sends a signal before the object changes.
    var objectWillChange: ObjectWillChangePublisher { get }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// Sends a signal before any ``Published`` property of this object changes.
    ///
    /// It is the same publisher each time, on any thread. An object without such properties has nothing to keep it in:
    /// it gets a new one each time, which sends only what it is told to.
    public var objectWillChange: ObservableObjectPublisher {
        var mirror: Mirror? = Mirror(reflecting: self)
        var properties: [any ObservedProperty] = []
        while let level = mirror {
            for case let property as any ObservedProperty in level.children.lazy.map(\.value) {
                // The first property is the last to be told, so if it knows, all do.
                if properties.isEmpty, let known = property.objectWillChange { return known }
                properties.append(property)
            }
            mirror = level.superclassMirror
        }
        // Of several threads that do this at once, the first to reach the last property decides for all.
        return properties.reversed().reduce(ObservableObjectPublisher()) { $1.announceChanges(by: $0) }
    }
}

/// A property that tells its object's publisher before it changes.
protocol ObservedProperty {
    /// The publisher it tells, if there is one yet.
    var objectWillChange: ObservableObjectPublisher? { get }

    /// Has the property tell a publisher from now on, unless it tells one already.
    ///
    /// - Returns: The publisher that it tells.
    func announceChanges(by publisher: ObservableObjectPublisher) -> ObservableObjectPublisher
}

/// Tells that an object is about to change.
///
/// As in Combine, a subscriber that has asked for any signal gets all of them: a signal carries nothing to be
/// overwhelmed by.
public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
    public typealias Output = Void
    public typealias Failure = Never

    // Safe because the core makes serial what comes from any thread, and signals carry nothing.
    private let core = SubjectCore<Void, Never>("ObservableObjectPublisher")

    /// Creates a publisher that nothing has been sent by.
    public init() {}

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Void, S.Failure == Never {
        core.subscribe(Inner(downstream: subscriber))
    }

    /// Tells all subscribers. One called on another thread or from inside a callback is delivered after the one under
    /// way.
    public func send() {
        core.send(())
    }
}

extension ObservableObjectPublisher {
    /// Makes any demand unlimited.
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
