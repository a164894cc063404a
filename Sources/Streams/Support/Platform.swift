#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

// Everything of the C library that depends on the platform is in this file. The only other conditional compilation is in
// `DispatchQueue+Scheduler.swift`, since Dispatch itself declares those types on Darwin.

// MARK: Memory

/// Allocates memory with an alignment of ``mallocAlignment``.
///
/// `UnsafeMutableRawPointer.allocate` requests aligned memory on Linux, which takes twice as long.
func allocateMemory(_ size: Int) -> UnsafeMutableRawPointer {
    guard let memory = malloc(max(size, 1)) else { preconditionFailure("out of memory") }
    return memory
}

/// Frees memory that `allocateMemory(_:)` returned.
func freeMemory(_ memory: UnsafeMutableRawPointer) {
    free(memory)
}

/// The alignment that `malloc` guarantees on every platform.
var mallocAlignment: Int { MemoryLayout<Double>.alignment }

// MARK: Threads

/// The identity of a running thread. A thread may have the same identity as one that has ended.
@usableFromInline
struct ThreadIdentity: Equatable, Sendable {
    private let thread: UInt

    /// The identity of the calling thread. Takes little more than reading a register.
    @usableFromInline static var current: ThreadIdentity { ThreadIdentity(thread: UInt(handle: pthread_self())) }
}

extension UInt {
    /// Creates a number from a platform's handle of a thread, which is a number or a pointer.
    fileprivate init(handle: UInt) {
        self = handle
    }

    fileprivate init(handle: Int) {
        self.init(bitPattern: handle)
    }

    fileprivate init<Thread>(handle: UnsafeMutablePointer<Thread>) {
        self.init(bitPattern: handle)
    }

    fileprivate init(handle: OpaquePointer) {
        self.init(bitPattern: handle)
    }
}

/// A variable with a separate object for each thread. A thread's object is released when the thread ends.
struct ThreadLocal<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    init() {
        var key = pthread_key_t()
        let status = pthread_key_create(&key) { object in
            // The parameter is optional on some platforms only.
            let object: UnsafeMutableRawPointer? = object
            if let object { Unmanaged<AnyObject>.fromOpaque(object).release() }
        }
        precondition(status == 0, "the process has no more keys for thread-local storage")
        self.key = key
    }

    /// Returns the calling thread's object.
    ///
    /// - Parameter create: Creates the object if the thread has none yet.
    func object(creating create: () -> Object) -> Object {
        if let object = pthread_getspecific(key) {
            return Unmanaged<Object>.fromOpaque(object).takeUnretainedValue()
        }
        let object = create()
        pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
        return object
    }
}

// MARK: Debugger

/// Raises `SIGTRAP`, at which a debugger stops. The process ends if no debugger is attached.
@usableFromInline
func stopInDebugger() {
    // A thread that blocks the signal would continue.
    withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { buffer in
        guard let signals = buffer.baseAddress else { return }
        sigemptyset(signals)
        sigaddset(signals, SIGTRAP)
        pthread_sigmask(SIG_UNBLOCK, signals, nil)
    }
    raise(SIGTRAP)
}
