/// A gate that holds replies, or the reading of request bodies, until a test opens it.
///
/// ```swift
/// let gate = Gate()
/// server.on("GET", "/slow", .text("late").held(by: gate))
/// // ... the request is under way, and its reply cannot have begun ...
/// gate.open()
/// ```
///
/// A gate opens once and stays open. One gate can hold any number of replies.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        /// Exists while connections wait, which retain it.
        weak var signal: Signal?
    }

    private let state = Locked(State())

    /// Creates a closed gate.
    public init() {}

    /// Whether the gate has been opened.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Opens the gate. Callable from any thread, any number of times.
    public func open() {
        let signal = state.withLock { state in
            state.isOpen = true
            return state.signal
        }
        signal?.raise()
    }

    /// The action of a connection at the gate.
    enum Passage {
        case free
        case wait(Signal)
        /// No descriptors are left to wait with.
        case impossible
    }

    func passage() -> Passage {
        state.withLock { state in
            if state.isOpen { return .free }
            if let signal = state.signal { return .wait(signal) }
            guard let signal = Signal() else { return .impossible }
            state.signal = signal
            return .wait(signal)
        }
    }
}
