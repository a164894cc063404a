import Synchronization

/// How many bytes of a body may still be delivered, and whether the peer is made to wait for more to be granted.
struct CurlWindow: ~Copyable, Sendable {
    private let credit: Atomic<Int>
    private let isShut = Atomic<Bool>(false)

    init(_ bytes: Int) {
        credit = Atomic(bytes)
    }

    /// Whether libcurl waits.
    var isPaused: Bool { isShut.load(ordering: .relaxed) }

    /// Allows so many more bytes. Legal from any thread.
    ///
    /// - Returns: Whether libcurl waits for them.
    func grant(_ bytes: Int) -> Bool {
        credit.add(bytes, ordering: .sequentiallyConsistent)
        guard isShut.load(ordering: .sequentiallyConsistent) else { return false }
        return isShut.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Takes in so many bytes, all of them where any are allowed. For whoever has the loop.
    ///
    /// - Returns: Whether they are taken; where not, libcurl must wait.
    func admit(_ bytes: Int) -> Bool {
        guard credit.load(ordering: .relaxed) > 0 || !shut() else { return false }
        credit.subtract(bytes, ordering: .relaxed)
        return true
    }

    /// Notes that libcurl waits, unless bytes have been granted meanwhile.
    private func shut() -> Bool {
        isShut.store(true, ordering: .sequentiallyConsistent)
        guard credit.load(ordering: .sequentiallyConsistent) > 0 else { return true }
        // Whoever granted them and saw the mark has posted a command that finds nothing to do.
        isShut.store(false, ordering: .sequentiallyConsistent)
        return false
    }
}
