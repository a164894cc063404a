import Dispatch

/// Waits on this thread for asynchronous work on others.
public func waiting(for work: sending @escaping () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        await work()
        isDone.signal()
    }
    isDone.wait()
}
