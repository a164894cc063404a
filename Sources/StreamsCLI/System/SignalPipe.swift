import StreamsHTTP

/// Leads signals into a pipe, from where they can be dealt with outside of a signal's handler.
///
/// A Dispatch source for signals begins to listen some time after it is activated; until then a signal would end the
/// process without any clean-up.
enum SignalPipe {
    // Safe because it is written before the first handler that reads it is installed, and not again.
    nonisolated(unsafe) fileprivate static var entrance: CInt = -1

    /// Begins to lead signals into a pipe, but for those that the parent has this process ignore, as `nohup` does with
    /// SIGHUP. An interrupt is never ignored: a shell's script has it so for everything it runs in the background.
    ///
    /// - Returns: Where to read them, one byte each; `nil` where the system has no more descriptors.
    static func open(for numbers: [CInt]) -> CInt? {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        entrance = ends[1]
        for number in numbers {
            let before = signal(number, enter)
            if number != SIGINT, isIgnoring(before) { signal(number, SIG_IGN) }
        }
        return ends[0]
    }

    /// Reads the next signal, which must be there.
    static func next(from descriptor: CInt) -> CInt? {
        var number: UInt8 = 0
        return read(descriptor, &number, 1) == 1 ? CInt(number) : nil
    }

    private static func isIgnoring(_ handler: (@convention(c) (CInt) -> Void)?) -> Bool {
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// A signal's handler: only a few calls are safe in one, and `write` is (POSIX, section 2.4.3).
private func enter(_ number: CInt) {
    let code = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(SignalPipe.entrance, &byte, 1)
    errno = code
}
