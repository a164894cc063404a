#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A descriptor and the event to wait for.
struct Watch {
    enum Interest {
        case reading
        case writing
        /// The peer has ended its stream, reset the connection, or, for a pipe, closed its end.
        case hangup
    }

    let descriptor: Int32
    let interest: Interest

    /// Waits until one of the watches is ready or the deadline has passed.
    ///
    /// - Returns: Whether each watch is ready, in order. None is ready if the deadline has passed first.
    static func wait(for watches: [Watch], until deadline: ContinuousClock.Instant?) -> [Bool] {
        var entries = watches.map { pollfd(fd: $0.descriptor, events: $0.interest.events, revents: 0) }
        while true {
            let count = poll(&entries, nfds_t(entries.count), milliseconds(until: deadline))
            if count < 0, errno == EINTR { continue }
            // The only other failure is a lack of memory, which the next read or write reports.
            if count < 0 { return watches.map { _ in true } }
            var ready: [Bool] = []
            var isAnyReady = false
            for index in entries.indices {
                let isReady = entries[index].revents != 0 && watches[index].confirms(&entries[index])
                isAnyReady = isAnyReady || isReady
                ready.append(isReady)
            }
            if isAnyReady { return ready }
            if let deadline, ContinuousClock.now >= deadline { return ready }
        }
    }

    private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
        guard let deadline else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        let millisecond: Int64 = 1_000_000_000_000_000
        // Rounded up, because a thread that wakes early has to wait again.
        return Int32(seconds * 1000 + (attoseconds + millisecond - 1) / millisecond)
    }

    #if canImport(Darwin)
    /// Returns whether a polled event is the one to wait for.
    ///
    /// Without `POLLRDHUP`, the end of the peer's stream makes the descriptor readable. If there are bytes before it,
    /// only `POLLHUP` is polled from then on.
    private func confirms(_ entry: inout pollfd) -> Bool {
        guard interest == .hangup, entry.revents == Int16(POLLIN) else { return true }
        var byte: UInt8 = 0
        guard recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0 else { return true }
        entry.events = 0
        return false
    }
    #else
    private func confirms(_ entry: inout pollfd) -> Bool { true }
    #endif
}

extension Watch.Interest {
    fileprivate var events: Int16 {
        switch self {
        case .reading: return Int16(POLLIN)
        case .writing: return Int16(POLLOUT)
        #if canImport(Darwin)
        case .hangup: return Int16(POLLIN)
        #else
        // POLLRDHUP, which the headers only define with GNU extensions.
        case .hangup: return 0x2000
        #endif
        }
    }
}
