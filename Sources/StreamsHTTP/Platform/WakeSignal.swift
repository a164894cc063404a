import CStreams

/// A descriptor that another thread makes readable to end a wait. An eventfd if the system has it, otherwise a pipe.
///
/// libcurl's `curl_multi_wakeup` is not used: several releases lose wake-ups.
final class WakeSignal: Sendable {
    let readable: CInt
    private let writable: CInt

    init() throws(FileError) {
        let event = streams_event_open()
        guard event < 0 else {
            readable = event
            writable = event
            return
        }
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw FileError(path: nil, code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readable = ends[0]
        writable = ends[1]
    }

    deinit {
        close(readable)
        if writable != readable { close(writable) }
    }

    /// Makes the descriptor readable.
    func raise() {
        var count: UInt64 = 1
        // The write fails only if a pipe is full, and then it is readable.
        _ = write(writable, &count, MemoryLayout.size(ofValue: count))
    }

    /// Empties a pipe. An eventfd is watched for edges, and never read.
    func clear() {
        guard writable != readable else { return }
        var buffer: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while read(readable, &buffer, MemoryLayout.size(ofValue: buffer)) == MemoryLayout.size(ofValue: buffer) {}
    }
}
