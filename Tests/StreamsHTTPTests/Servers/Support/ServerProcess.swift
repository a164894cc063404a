import Foundation
import Testing

/// A server program in a process of its own.
///
/// It ends when this object stops it or when this process ends, however that happens: a shell that waits at a pipe
/// for a line, or for our end of it to close, kills the server and removes its folder.
final class ServerProcess: Sendable {
    private let folder: String
    private let guardian = Process()
    private let lifeline = Pipe.uninherited()

    private static let guarding = """
        trap '' INT HUP
        cd "$1" || exit
        shift
        exec 3<&0
        { sh -c 'echo $$ >pid; exec "$@"' sh "$@" </dev/null >log 2>&1 3<&-; echo $? >ended; } &
        read -r line <&3
        [ -e ended ] || kill "$(cat pid)"
        wait
        rm -rf "$PWD"
        """

    /// Starts a program in a folder, which it owns from then on, and waits until it accepts connections.
    init(_ command: [String], folder: String, port: UInt16) async throws {
        self.folder = folder
        guardian.executableURL = URL(filePath: "/bin/sh")
        guardian.arguments = ["-c", Self.guarding, "sh", folder] + command
        guardian.standardInput = lifeline.fileHandleForReading
        guardian.standardOutput = FileHandle.nullDevice
        guardian.standardError = FileHandle.nullDevice
        try guardian.runWithoutBlockedSignals()
        try? lifeline.fileHandleForReading.close()
        try await waitUntilItAccepts(port)
    }

    deinit {
        try? lifeline.fileHandleForWriting.close()
    }

    /// Ends the server and waits until it is gone.
    func stop() async {
        // A process that was started at the moment when the pipe was made may have inherited this end, and keep it open.
        try? lifeline.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
        try? lifeline.fileHandleForWriting.close()
        let guardian = guardian
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                _ = guardian.waitForStatus()
                continuation.resume()
            }
        }
    }

    /// Stops the server's process, as SIGSTOP does, and waits until it has stopped; or lets it go on.
    func setSuspended(_ isSuspended: Bool) async throws {
        let text = String(decoding: try Data(contentsOf: URL(filePath: "\(folder)/pid")), as: UTF8.self)
        let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        try #require(kill(process, isSuspended ? SIGSTOP : SIGCONT) == 0)
        #if os(Linux)
        // Until another processor has seen the signal, the process runs on.
        while isSuspended, try !String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).contains("State:\tT")
        {
            await Task.yield()
        }
        #endif
    }

    private func waitUntilItAccepts(_ port: UInt16) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !LoopbackPort.accepts(port) {
            let hasEnded = FileManager.default.fileExists(atPath: "\(folder)/ended")
            guard !hasEnded, ContinuousClock.now < deadline else {
                let log = FileManager.default.contents(atPath: "\(folder)/log") ?? Data()
                throw ServerFailure(log: String(decoding: log, as: UTF8.self))
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}

/// A server did not come up.
struct ServerFailure: Error, CustomStringConvertible {
    let log: String
    var description: String { "the server did not start:\n\(log)" }
}
