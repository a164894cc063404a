import Streams

/// Knows which of the things a test has let go of are still there.
///
/// ```swift
/// let lifetimes = LifetimeTracker()
/// let probe = ProbePublisher<Int, Never>()
/// do {
///     let token = lifetimes.token("closure")
///     let recorder = RecordingSubscriber<Int, Never>()
///     lifetimes.watch(recorder, as: "downstream")
///     probe.map { value in withExtendedLifetime(token) { value } }.subscribe(recorder)
/// }
/// // lifetimes.alive == ["closure", "downstream"]
/// probe.send(completion: .finished)
/// // lifetimes.alive == []
/// ```
///
/// A token shows the lifetime of a closure that captures it, a weak reference that of an object. It may be used from
/// any thread.
public final class LifetimeTracker: Sendable {
    // Safe because the object is never used, only its existence.
    private struct Watched: @unchecked Sendable {
        weak var object: AnyObject?
        let name: String
    }

    private struct State {
        var tokens: [Int: String] = [:]
        var watched: [Watched] = []
        var nextID = 0
    }

    private let state = Locked(State())

    /// A tracker that knows of nothing yet.
    public init() {}

    /// Makes an object that lives as long as whatever holds it, such as a closure that captures it.
    ///
    /// - Parameter name: What ``alive`` lists it by.
    public func token(_ name: String) -> LifetimeToken {
        let id = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.tokens[id] = name
            return id
        }
        return LifetimeToken { [self] in state.withLock { $0.tokens[id] = nil } }
    }

    /// Takes note of an object without keeping it alive.
    ///
    /// - Parameters:
    ///   - object: What is watched.
    ///   - name: What ``alive`` lists it by.
    public func watch(_ object: AnyObject, as name: String) {
        let watched = Watched(object: object, name: name)
        state.withLock { $0.watched.append(watched) }
    }

    /// The names of what is still there, in alphabetical order.
    public var alive: [String] {
        let (tokens, watched) = state.withLock { ($0.tokens, $0.watched) }
        let objects = watched.filter { $0.object != nil }
        return (tokens.values + objects.map(\.name)).sorted()
    }
}

/// An object that a ``LifetimeTracker`` knows about as long as it exists.
public final class LifetimeToken: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
