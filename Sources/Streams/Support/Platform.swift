import Dispatch

#if canImport(Darwin)
import Combine
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

// Everything that depends on the platform is in this file: no other file of this module imports a C library or has a
// conditional compilation block.

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

// MARK: Dispatch queues as schedulers

#if canImport(Darwin)
// The system's own conformance to Combine's protocol brings the types and methods with it; declaring them a second time
// would make every use of them ambiguous.
extension DispatchQueue.SchedulerTimeType.Stride: Streams.SchedulerTimeIntervalConvertible {}

extension DispatchQueue: Streams.Scheduler {
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Streams.Cancellable {
        let work: any Combine.Cancellable = schedule(
            after: date, interval: interval, tolerance: tolerance, options: options, action)
        return Streams.AnyCancellable(CombineCancellable(work: work))
    }
}

private struct CombineCancellable: Streams.Cancellable {
    let work: any Combine.Cancellable

    func cancel() {
        work.cancel()
    }
}
#else
extension DispatchQueue: Scheduler {
    /// Settings of one piece of work.
    // Safe because the flags, which alone are not marked so, are a plain number.
    public struct SchedulerOptions: @unchecked Sendable {

        /// How urgent the work is.
        public var qos: DispatchQoS

        /// How the work is run.
        public var flags: DispatchWorkItemFlags

        /// A group the work belongs to. Work that is delayed or repeated does not join it.
        public var group: DispatchGroup?

        /// Settings that change nothing unless they are given.
        public init(qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], group: DispatchGroup? = nil) {
            self.qos = qos
            self.flags = flags
            self.group = group
        }
    }

    public var now: SchedulerTimeType { SchedulerTimeType(.now()) }

    public var minimumTolerance: SchedulerTimeType.Stride { 0 }

    @preconcurrency
    public func schedule(options: SchedulerOptions?, _ action: @escaping @Sendable () -> Void) {
        let options = options ?? SchedulerOptions()
        async(group: options.group, qos: options.qos, flags: options.flags, execute: action)
    }

    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) {
        let options = options ?? SchedulerOptions()
        asyncAfter(deadline: date.dispatchTime, qos: options.qos, flags: options.flags, execute: action)
    }

    /// Runs work at a time, and again after every interval, until the result is cancelled or released.
    @preconcurrency
    public func schedule(
        after date: SchedulerTimeType,
        interval: SchedulerTimeType.Stride,
        tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?,
        _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable {
        let options = options ?? SchedulerOptions()
        let timer = DispatchSource.makeTimerSource(queue: self)
        timer.setEventHandler(qos: options.qos, flags: options.flags, handler: action)
        timer.schedule(deadline: date.dispatchTime, repeating: interval.timeInterval, leeway: tolerance.timeInterval)
        timer.resume()
        return AnyCancellable(TimerCancellable(timer: timer))
    }
}

private struct TimerCancellable: Cancellable {
    let timer: any DispatchSourceTimer

    func cancel() {
        timer.cancel()
    }
}

extension DispatchQueue {
    /// A point in time on the clock that dispatch queues use, which stands still while the machine sleeps.
    public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
        /// The same as Dispatch has it.
        public var dispatchTime: DispatchTime

        /// A point in time as Dispatch has it.
        public init(_ time: DispatchTime) {
            dispatchTime = time
        }

        /// - Returns: The duration, negative if the other time is earlier. A duration that does not fit is the largest
        ///   there is, in both directions, as in Combine, where it is made of Dispatch's `.never`.
        public func distance(to other: SchedulerTimeType) -> Stride {
            let (from, to) = (dispatchTime.uptimeNanoseconds, other.dispatchTime.uptimeNanoseconds)
            guard let length = Int(exactly: to >= from ? to - from : from - to) else { return .nanoseconds(.max) }
            return .nanoseconds(to >= from ? length : -length)
        }

        /// - Parameter n: The largest duration there is leads to the distant future.
        public func advanced(by n: Stride) -> SchedulerTimeType {
            n.magnitude == .max ? SchedulerTimeType(.distantFuture) : SchedulerTimeType(dispatchTime + n.timeInterval)
        }

        public func hash(into hasher: inout Hasher) {
            hasher.combine(dispatchTime.uptimeNanoseconds)
        }

        public init(from decoder: any Decoder) throws {
            let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
            self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(dispatchTime.uptimeNanoseconds)
        }
    }
}

extension DispatchQueue.SchedulerTimeType {
    /// A duration, in whole nanoseconds. Durations too long for that are the longest there is, also where they are
    /// computed; what is not a number is zero.
    public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
        Hashable,
        Codable, Sendable
    {
        /// The number of nanoseconds, which may be negative: Combine has it so.
        public var magnitude: Int

        /// The same as Dispatch has it.
        public var timeInterval: DispatchTimeInterval { .nanoseconds(magnitude) }

        /// Combine's archives can be read, and those written here can be read by Combine.
        private enum CodingKeys: String, CodingKey {
            case magnitude = "_nanoseconds"
        }

        private init(nanoseconds: Int) {
            magnitude = nanoseconds
        }

        /// A duration as Dispatch has it; `.never` is the longest there is.
        public init(_ timeInterval: DispatchTimeInterval) {
            switch timeInterval {
            case .seconds(let s): self = .seconds(s)
            case .milliseconds(let ms): self = .milliseconds(ms)
            case .microseconds(let us): self = .microseconds(us)
            case .nanoseconds(let ns): self = .nanoseconds(ns)
            // What is left is never.
            default: self.init(nanoseconds: .max)
            }
        }

        /// - Parameter value: Seconds.
        public init(floatLiteral value: Double) {
            self = .seconds(value)
        }

        /// - Parameter value: Seconds.
        public init(integerLiteral value: Int) {
            self = .seconds(value)
        }

        /// - Parameter source: Seconds.
        public init?<T: BinaryInteger>(exactly source: T) {
            guard let seconds = Int(exactly: source) else { return nil }
            self = .seconds(seconds)
        }

        public static func < (lhs: Stride, rhs: Stride) -> Bool { lhs.magnitude < rhs.magnitude }

        public static func + (lhs: Stride, rhs: Stride) -> Stride {
            let (sum, overflow) = lhs.magnitude.addingReportingOverflow(rhs.magnitude)
            return Stride(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : sum)
        }

        public static func - (lhs: Stride, rhs: Stride) -> Stride {
            let (difference, overflow) = lhs.magnitude.subtractingReportingOverflow(rhs.magnitude)
            return Stride(nanoseconds: overflow ? (lhs.magnitude < 0 ? .min : .max) : difference)
        }

        /// Zero: there is no product of durations. Combine has it so.
        public static func * (lhs: Stride, rhs: Stride) -> Stride { Stride(nanoseconds: 0) }

        public static func *= (lhs: inout Stride, rhs: Stride) { lhs = lhs * rhs }

        public static func seconds(_ s: Double) -> Stride {
            // A double is exact at a power of two, and Int.max is one less than one.
            let nanoseconds = s * 1e9
            if nanoseconds >= Double(sign: .plus, exponent: Int.bitWidth - 1, significand: 1) {
                return Stride(nanoseconds: .max)
            }
            if nanoseconds < Double(Int.min) { return Stride(nanoseconds: .min) }
            return Stride(nanoseconds: nanoseconds.isNaN ? 0 : Int(nanoseconds))
        }

        public static func seconds(_ s: Int) -> Stride { clamped(s, times: 1_000_000_000) }
        public static func milliseconds(_ ms: Int) -> Stride { clamped(ms, times: 1_000_000) }
        public static func microseconds(_ us: Int) -> Stride { clamped(us, times: 1000) }
        public static func nanoseconds(_ ns: Int) -> Stride { Stride(nanoseconds: ns) }

        private static func clamped(_ value: Int, times factor: Int) -> Stride {
            let (product, overflow) = value.multipliedReportingOverflow(by: factor)
            return Stride(nanoseconds: overflow ? (value < 0 ? .min : .max) : product)
        }
    }
}
#endif
