#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Tells the threads that are running apart. One that has ended may have had the same identity as one that began later.
@usableFromInline
struct ThreadIdentity: Equatable, Sendable {
    private let thread: UInt

    /// The calling thread: a read of one register, or little more.
    @usableFromInline static var current: ThreadIdentity { ThreadIdentity(thread: UInt(handle: pthread_self())) }
}

extension UInt {
    /// A platform's handle of a thread is a number or a pointer.
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
