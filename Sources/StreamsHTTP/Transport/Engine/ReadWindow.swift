import Synchronization

/// The number of bytes of a body that may be delivered, and whether receiving is paused until more are allowed.
struct ReadWindow: ~Copyable, Sendable {
    private let credit: Atomic<Int>
    private let isShut = Atomic<Bool>(false)

    init(_ bytes: Int) {
        credit = Atomic(bytes)
    }

    /// Whether receiving is paused.
    var isPaused: Bool { isShut.load(ordering: .relaxed) }

    /// Allows more bytes. Can be called from any thread.
    ///
    /// - Returns: Whether receiving was paused, so that it must be resumed.
    func allow(bytes: Int) -> Bool {
        credit.add(bytes, ordering: .sequentiallyConsistent)
        guard isShut.load(ordering: .sequentiallyConsistent) else { return false }
        return isShut.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Returns whether bytes are allowed, however many; otherwise receiving must be paused. Called on the engine's
    /// thread only.
    func isOpen() -> Bool {
        credit.load(ordering: .relaxed) > 0 || !shut()
    }

    /// The number of bytes that may be delivered; negative if more have been.
    var left: Int { credit.load(ordering: .relaxed) }

    /// Records bytes that are delivered. Called on the engine's thread only.
    func spend(_ bytes: Int) {
        credit.subtract(bytes, ordering: .relaxed)
    }

    /// Records that receiving is paused, unless bytes have been allowed meanwhile.
    private func shut() -> Bool {
        isShut.store(true, ordering: .sequentiallyConsistent)
        guard credit.load(ordering: .sequentiallyConsistent) > 0 else { return true }
        // A thread that allowed them and saw the flag has posted a command, which has no effect.
        isShut.store(false, ordering: .sequentiallyConsistent)
        return false
    }
}
