import Foundation

extension Process {
    /// Starts the process with no signal blocked.
    ///
    /// It inherits what this thread blocks, which may be every signal: a shell would never learn that its child has
    /// ended, and a server not that it is to end.
    func runWithoutBlockedSignals() throws {
        var none = sigset_t()
        var blocked = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &blocked)
        defer { pthread_sigmask(SIG_SETMASK, &blocked, nil) }
        try run()
    }

    /// Waits until the process has ended.
    ///
    /// Foundation learns of the end by a socket that breaks. Another process that is started at the same moment may
    /// inherit its other end, and `waitUntilExit()` then waits for that process too: for ever, if it is a server that
    /// all tests share.
    ///
    /// - Returns: The status, or the negated number of the signal that ended the process.
    func waitForStatus() -> Int32 {
        #if os(Linux)
        var end = siginfo_t()
        while true {
            // Foundation still collects the process itself.
            if waitid(P_PID, id_t(processIdentifier), &end, WEXITED | WNOWAIT) == 0 {
                let status = end._sifields._sigchld.si_status
                return end.si_code == CLD_EXITED ? status : -status
            }
            // Otherwise Foundation has noticed the end before.
            guard errno == EINTR else { break }
        }
        #endif
        waitUntilExit()
        return terminationReason == .exit ? terminationStatus : -terminationStatus
    }
}

extension Pipe {
    /// Returns a pipe that only the process that it is given to inherits. Another one would keep it open to its own end.
    static func uninherited() -> Pipe {
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }
}
