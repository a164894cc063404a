import Foundation

/// Runs other programs.
public enum Command {
    /// Runs a program, and waits for its end.
    ///
    /// - Parameter showingErrors: Whether its standard error is that of this process. Otherwise, it is discarded.
    /// - Returns: Its standard output and its exit status.
    public static func run(_ arguments: [String], showingErrors: Bool = false) throws -> (output: String, status: Int32)
    {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        if !showingErrors { process.standardError = FileHandle.nullDevice }
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (output, process.terminationStatus)
    }
}
