import Foundation

/// Runs other programs.
enum Command {
    /// What it complains of goes to where this program's complaints go, if that is asked for.
    ///
    /// - Returns: What it printed, and how it ended.
    static func run(_ arguments: [String], showingErrors: Bool = false) throws -> (output: String, status: Int32) {
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
