import Foundation

/// The Python in which servers from PyPI run.
enum PythonInterpreter {
    /// Returns the interpreter of the variable `STREAMS_HTTPBIN_PYTHON`, or else `python3`; `nil` if a module is missing.
    static func having(_ modules: String...) -> String? {
        let configured = ProcessInfo.processInfo.environment["STREAMS_HTTPBIN_PYTHON"]
        let probe = Process()
        probe.executableURL = URL(filePath: "/usr/bin/env")
        probe.arguments = [configured ?? "python3", "-c", "import \(modules.joined(separator: ", "))"]
        probe.standardInput = FileHandle.nullDevice
        probe.standardOutput = FileHandle.nullDevice
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return nil }
        return probe.waitForStatus() == 0 ? configured ?? "python3" : nil
    }
}
