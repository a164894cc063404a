import Foundation

/// Runs other programs.
public enum Command {
    /// Runs a program, and waits for its end.
    ///
    /// It is spawned directly: `Process` of Foundation takes several times as long as a program of one request.
    ///
    /// - Parameter showingErrors: Whether its standard error is that of this process. Otherwise, it is discarded.
    /// - Returns: Its standard output and its exit status: 127 if it cannot be run, 128 and the signal that ended it.
    public static func run(_ arguments: [String], showingErrors: Bool = false) throws -> (output: String, status: Int32)
    {
        let output = Pipe()
        for end in [output.fileHandleForReading, output.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        let process = spawn(arguments, output: output.fileHandleForWriting.fileDescriptor, showingErrors: showingErrors)
        try output.fileHandleForWriting.close()
        guard let process else { return ("", 127) }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return (text, waitForStatus(of: process))
    }

    private static func spawn(_ arguments: [String], output: CInt, showingErrors: Bool) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        if !showingErrors { posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) }
        let environment = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
        var process = pid_t()
        let code = withCStrings(arguments) { copies in
            withCStrings(environment) { posix_spawnp(&process, arguments[0], &actions, nil, copies, $0) }
        }
        return code == 0 ? process : nil
    }

    private static func waitForStatus(of process: pid_t) -> Int32 {
        var status: CInt = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Calls a closure with strings as C has them, and a null pointer behind them.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
