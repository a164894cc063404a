import Foundation
import Testing

/// The built tool or another program of the package, run as its users run it.
struct Tool {
    /// The result of a run.
    struct Run {
        let status: Int32
        let output: Data
        let errors: String

        var text: String { String(decoding: output, as: UTF8.self) }
        var lines: [String] { text.split(separator: "\n").map(String.init) }
    }

    private let process = Process()
    private let output = Pipe.uninherited()
    private let errors = Pipe.uninherited()

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - arguments: The command line without the program's name.
    ///   - input: The standard input; nothing by default.
    ///   - output: The standard output; by default it is collected.
    ///   - errors: The standard error; by default it is collected.
    ///   - environment: Variables besides those of this process, from which proxies are removed.
    ///   - program: The program's name.
    ///   - command: The command to run instead of the program.
    init(
        _ arguments: [String], input: FileHandle = .nullDevice, output: FileHandle? = nil, errors: FileHandle? = nil,
        environment: [String: String] = [:], program: String = "streams", command: [String]? = nil
    ) throws {
        let command = try command ?? [Self.executable(program).path]
        process.executableURL = URL(filePath: command[0])
        process.arguments = command.dropFirst() + arguments
        process.standardInput = input
        process.standardOutput = output ?? self.output
        process.standardError = errors ?? self.errors
        let inherited = ProcessInfo.processInfo.environment.filter { !$0.key.lowercased().hasSuffix("_proxy") }
        process.environment = inherited.merging(environment) { $1 }
    }

    /// Runs the tool to its end.
    static func run(
        _ arguments: String..., input: FileHandle = .nullDevice, output: FileHandle? = nil,
        environment: [String: String] = [:], within limit: Duration = .seconds(120)
    ) async throws -> Run {
        let tool = try Tool(arguments, input: input, output: output, environment: environment)
        return try await tool.start().end(within: limit)
    }

    /// Runs a shell script with the tool as `$0`.
    static func shell(_ script: String, _ arguments: String...) async throws -> Run {
        let command = ["/bin/sh", "-c", script, try executable("streams").path]
        return try await Tool(arguments, command: command).start().end()
    }

    /// Starts the tool.
    func start() throws -> Running {
        try process.run()
        // The parent's copies would keep the pipes open after the tool has ended.
        try? output.fileHandleForWriting.close()
        try? errors.fileHandleForWriting.close()
        return Running(process: process, output: output.fileHandleForReading, errors: errors.fileHandleForReading)
    }

    /// Programs lie where the tests do.
    static func executable(_ name: String = "streams") throws -> URL {
        let bundles = Bundle.allBundles.filter { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
        let programs = [Bundle.main.executableURL, CommandLine.arguments.first.map { URL(filePath: $0) }]
        let places = (bundles + programs.compactMap(\.self)).map {
            $0.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name)
        }
        return try #require(
            places.first { FileManager.default.isExecutableFile(atPath: $0.path) },
            "\(name) is in none of \(places.map(\.path))")
    }
}

/// A run under way.
struct Running {
    let process: Process
    let output: FileHandle
    let errors: FileHandle

    /// Sends a signal.
    func send(_ signal: Int32) {
        kill(process.processIdentifier, signal)
    }

    /// Waits for the end, and kills a program that does not end in time.
    func end(within limit: Duration = .seconds(120)) async throws -> Tool.Run {
        let watchdog = Task { [process] in
            try await Task.sleep(for: limit)
            // If tests keep every thread busy, the notification of the program's end is late.
            guard process.isRunning else { return }
            Issue.record("the program did not end within \(limit)")
            kill(process.processIdentifier, SIGKILL)
        }
        defer { watchdog.cancel() }
        async let output = Self.contents(of: output)
        async let errors = Self.contents(of: errors)
        let (collected, complaints) = await (output, errors)
        let process = process
        let status = await Self.onThread { process.waitForStatus() }
        return Tool.Run(status: status, output: collected, errors: String(decoding: complaints, as: UTF8.self))
    }

    private static func contents(of handle: FileHandle) async -> Data {
        await onThread { (try? handle.readToEnd()) ?? Data() }
    }

    /// Blocks a thread of its own, so that the tasks' threads stay free.
    static func onThread<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: work()) }
        }
    }
}
