import Synchronization

/// A counter of forks, to detect that the process is a child of the one that created an object.
enum ProcessGeneration {
    private static let forks = Atomic<Int>(0)
    private static let isObserving: Void = {
        _ = pthread_atfork(nil, nil, { forks.add(1, ordering: .relaxed) })
    }()

    /// A number that differs between a process and its later children.
    static var current: Int {
        isObserving
        return forks.load(ordering: .relaxed)
    }
}
