import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An event that is raised once. Any number of threads can wait for it and for their sockets at the same time.
///
/// It is a pipe whose writing end is closed to raise the event. `poll` reports that on the reading end to all threads.
final class Signal: Sendable {
    /// The reading end; valid as long as the signal is retained.
    let descriptor: Int32
    private let writingEnd: Locked<Int32?>
    private let raised = Atomic(false)

    /// Creates a signal; `nil` if no descriptors are left.
    init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        makePrivate(ends[0])
        makePrivate(ends[1])
        descriptor = ends[0]
        writingEnd = Locked(ends[1])
    }

    deinit {
        raise()
        closeDescriptor(descriptor)
    }

    var isRaised: Bool { raised.load(ordering: .acquiring) }

    func raise() {
        raised.store(true, ordering: .releasing)
        writingEnd.withLock { end in
            if let end { closeDescriptor(end) }
            end = nil
        }
    }
}

/// The system's code for a lack of threads or descriptors.
let outOfResources = EAGAIN
