#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The identity of a running thread. A thread may have that of one that has ended.
struct ThreadIdentity: Equatable, Sendable {
    private let rawValue: UInt

    static var current: ThreadIdentity {
        #if canImport(Darwin) || canImport(Musl)
        ThreadIdentity(rawValue: UInt(bitPattern: pthread_self()))
        #else
        ThreadIdentity(rawValue: UInt(pthread_self()))
        #endif
    }
}
