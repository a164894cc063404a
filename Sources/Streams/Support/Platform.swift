import Synchronization

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
struct ThreadIdentity: RawRepresentable, AtomicRepresentable, Equatable, Sendable {
    @usableFromInline let rawValue: UInt

    @usableFromInline
    init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The identity of the calling thread. Takes little more than reading a register.
    @usableFromInline static var current: ThreadIdentity { ThreadIdentity(rawValue: UInt(handle: pthread_self())) }
    /// The identity of no thread.
    @usableFromInline static var none: ThreadIdentity { ThreadIdentity(rawValue: 0) }
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

/// Returns the number of bytes that the calling thread's stack has left. Nil if the platform does not tell, and where Address
/// Sanitizer keeps variables elsewhere.
func availableStackSize() -> Int? {
    let position = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) { UInt(bitPattern: $0.baseAddress) }
    let stack = ThreadStack.current.addresses
    return stack.contains(position) ? Int(position - stack.lowerBound) : nil
}

/// The addresses of a thread's stack. Determined once for each thread, as that may read a file.
private final class ThreadStack {
    private static let local = ThreadLocal<ThreadStack>()

    static var current: ThreadStack { local.object { ThreadStack() } }

    let addresses: Range<UInt>

    private init() {
        #if canImport(Darwin)
        let end = UInt(bitPattern: pthread_get_stackaddr_np(pthread_self()))
        addresses = end - UInt(pthread_get_stacksize_np(pthread_self()))..<end
        #else
        var (start, size) = (UnsafeMutableRawPointer?.none, 0)
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
            guard let attributes = buffer.baseAddress, Self.getAttributes?(pthread_self(), attributes) == 0 else {
                return
            }
            pthread_attr_getstack(attributes, &start, &size)
            pthread_attr_destroy(attributes)
        }
        addresses = UInt(bitPattern: start)..<UInt(bitPattern: start) + UInt(size)
        #endif
    }

    #if !canImport(Darwin)
    private typealias GetAttributes = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32

    /// The headers declare this extension of the standard only for C that asks for it.
    private static let getAttributes = dlsym(nil, "pthread_getattr_np").map {
        unsafeBitCast($0, to: GetAttributes.self)
    }
    #endif
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

// MARK: Signals

/// The signals of the operating system that have arrived, kept until they are taken.
///
/// A source of Dispatch for signals does not suffice: on Linux it installs its handler once for the life of the process,
/// and some time after its activation. So neither could an earlier disposition be restored and the signal be observed
/// again, nor would a signal that follows the subscription be caught.
enum ProcessSignals {
    /// The disposition of a signal before it was observed, and the one while it is.
    struct Disposition {
        fileprivate var earlier = sigaction()
        fileprivate var own = sigaction()
    }

    // A bit for each signal. Constants of atomics: a handler must neither allocate nor lock.
    fileprivate static let arrived = Atomic<UInt64>(0)
    fileprivate static let writeEnd = Atomic<Int32>(-1)

    /// Creates a pipe in which the handler writes, to wake the reader. It stays open for the life of the process.
    ///
    /// - Returns: The end to wait on, nil if the process has no more descriptors.
    static func openPipe() -> Int32? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        writeEnd.store(ends[1], ordering: .releasing)
        // Initializes everything that the handler uses. There is no signal zero, and the reader finds none.
        recordSignal(0)
        return ends[0]
    }

    /// Empties the pipe, and returns the signals that have arrived since the last call.
    static func take(from readEnd: Int32) -> [Int32] {
        withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { buffer in
            while read(readEnd, buffer.baseAddress, buffer.count) > 0 {}
        }
        // After the pipe: a signal that arrives from now on writes to it again.
        let bits = arrived.exchange(0, ordering: .acquiringAndReleasing)
        return (1...64).filter { bits & (1 << UInt64($0 - 1)) != 0 }
    }

    /// Begins to record a signal in place of its disposition.
    ///
    /// - Returns: The disposition to restore; nil if the number is not that of a signal that can be observed.
    static func observe(_ number: Int32) -> Disposition? {
        var disposition = Disposition()
        guard (1...64).contains(number), sigaction(number, nil, &disposition.earlier) == 0 else { return nil }
        // Restarts the system calls that it interrupts.
        _ = signal(number, recordSignal)
        sigaction(number, nil, &disposition.own)
        return disposition
    }

    /// Restores the disposition of a signal, unless the program has changed it meanwhile.
    static func restore(_ disposition: Disposition, of number: Int32) {
        var (current, earlier) = (sigaction(), disposition.earlier)
        sigaction(number, nil, &current)
        if current.handlerAddress == disposition.own.handlerAddress { sigaction(number, &earlier, nil) }
    }
}

extension sigaction {
    /// The address of the handler. The other fields hold garbage behind the mask.
    fileprivate var handlerAddress: Int {
        #if canImport(Darwin)
        let handler = __sigaction_u.__sa_handler
        #elseif canImport(Musl)
        let handler = __sa_handler.sa_handler
        #elseif canImport(Android)
        let handler = sa_handler
        #else
        let handler = __sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self)
    }
}

/// The handler of the signals that are observed. It calls only what is safe inside a signal handler.
private func recordSignal(_ number: Int32) {
    let error = errno
    let bit: UInt64 = number > 0 ? 1 &<< UInt64(number &- 1) : 0
    ProcessSignals.arrived.bitwiseOr(bit, ordering: .releasing)
    var byte: UInt8 = 0
    // A full pipe wakes the reader as well.
    _ = write(ProcessSignals.writeEnd.load(ordering: .relaxed), &byte, 1)
    errno = error
}
