import Streams

/// A list of the objects and closures that have not been released.
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
/// A token that a closure captures lives as long as the closure. A weak reference shows whether an object is alive.
/// A tracker may be used from any thread.
public final class LifetimeTracker: Sendable {
    // Safe because the object itself is never used: only the reference is compared to nil.
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

    /// Creates a tracker without tokens and objects.
    public init() {}

    /// Creates an object for a closure to capture.
    ///
    /// - Parameter name: The name of the closure in ``alive``.
    public func token(_ name: String) -> LifetimeToken {
        let id = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            state.tokens[id] = name
            return id
        }
        return LifetimeToken { [self] in state.withLock { $0.tokens[id] = nil } }
    }

    /// Tracks an object without keeping it alive.
    ///
    /// - Parameters:
    ///   - object: The object to track.
    ///   - name: The name of the object in ``alive``.
    public func watch(_ object: AnyObject, as name: String) {
        let watched = Watched(object: object, name: name)
        state.withLock { $0.watched.append(watched) }
    }

    /// The names of the tokens and objects that are alive, in alphabetical order.
    public var alive: [String] {
        let (tokens, watched) = state.withLock { ($0.tokens, $0.watched) }
        let objects = watched.filter { $0.object != nil }
        return (tokens.values + objects.map(\.name)).sorted()
    }
}

/// An object that a ``LifetimeTracker`` lists as long as it is alive.
public final class LifetimeToken: Sendable {
    private let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit {
        onRelease()
    }
}
