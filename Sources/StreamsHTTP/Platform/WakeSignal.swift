/// A descriptor that becomes readable when another thread wants attention.
///
/// Ours rather than libcurl's `curl_multi_wakeup`, which several releases lose.
final class WakeSignal: Sendable {
    let readable: CInt
    private let writable: CInt

    init() throws(FileError) {
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
        close(writable)
    }

    /// Makes the descriptor readable.
    func raise() {
        var byte: UInt8 = 1
        // A full pipe is readable already.
        _ = write(writable, &byte, 1)
    }

    /// Makes the descriptor unreadable until it is raised again.
    func clear() {
        var buffer: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        while read(readable, &buffer, MemoryLayout.size(ofValue: buffer)) == MemoryLayout.size(ofValue: buffer) {}
    }
}
