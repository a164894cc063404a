#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A value that is protected by a lock, and whose changes threads can wait for.
// Safe because the value is only accessed while the mutex is locked.
final class Monitor<Value: Sendable>: @unchecked Sendable {
    private var value: Value
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let change: UnsafeMutablePointer<pthread_cond_t>

    init(_ value: Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        change = .allocate(capacity: 1)
        change.initialize(to: pthread_cond_t())
        pthread_cond_init(change, nil)
    }

    deinit {
        pthread_cond_destroy(change)
        change.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls a closure with exclusive access to the value, and wakes the threads that wait for a change. The closure
    /// must not call user code.
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(change)
            pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    /// Waits until a closure returns a result. It is called now and after changes, with exclusive access to the value.
    ///
    /// - Parameters:
    ///   - seconds: The maximum time to wait; `nil` for no limit.
    ///   - body: The closure. It only changes the value when it returns a result.
    /// - Returns: The result; `nil` if the time has passed.
    func wait<Result>(seconds: Int? = nil, for body: (inout Value) -> Result?) -> Result? {
        var deadline = timespec()
        if let seconds {
            clock_gettime(CLOCK_REALTIME, &deadline)
            deadline.tv_sec += seconds
        }
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(change)
            pthread_mutex_unlock(mutex)
        }
        while true {
            if let result = body(&value) { return result }
            if seconds == nil {
                pthread_cond_wait(change, mutex)
            } else if pthread_cond_timedwait(change, mutex, &deadline) == ETIMEDOUT {
                return body(&value)
            }
        }
    }
}
