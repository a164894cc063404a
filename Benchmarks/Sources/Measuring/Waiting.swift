import Dispatch

/// Blocks this thread until asynchronous work on other threads has ended.
public func waiting(for work: sending @escaping () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        await work()
        isDone.signal()
    }
    isDone.wait()
}
