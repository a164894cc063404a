import Synchronization

/// Counts the forks between the first process and this one.
enum ProcessGeneration {
    private static let forks = Atomic<Int>(0)
    private static let isObserving: Void = {
        _ = pthread_atfork(nil, nil, { forks.add(1, ordering: .relaxed) })
    }()

    /// A number that differs between a process and those it has forked since.
    static var current: Int {
        isObserving
        return forks.load(ordering: .relaxed)
    }
}
