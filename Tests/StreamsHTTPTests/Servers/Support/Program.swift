import Foundation

/// A program that tests are run with.
struct Program: Sendable {
    let name: String
    /// The path of the program; `nil` if it is not installed.
    let path: String?

    static let nginx = Program("nginx")
    static let nghttpd = Program("nghttpd")
    static let env = Program("env")
    static let apache = Program("apache2")
    static let lighttpd = Program("lighttpd")
    static let node = Program("node")
    static let squid = Program("squid")
    static let tinyproxy = Program("tinyproxy")
    static let openssl = Program("openssl")
    static let gzip = Program("gzip")
    static let clang = Program("clang")
    static let python3 = Program("python3")
    static let sha256sum = Program("sha256sum")
    static let curl = Program("curl")
    static let sha512sum = Program("sha512sum")

    private init(_ name: String) {
        self.name = name
        // Servers are where only the administrator's path leads.
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        path = (folders + ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/bin"])
            .map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether a program that is missing is a failure rather than a reason to skip a test.
    static let areRequired = ProcessInfo.processInfo.environment["STREAMS_REQUIRE_SERVERS"] != nil

    /// The variables of this process, without the folder of the libcurl under test: a program uses the system's.
    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { $0.key != "LD_LIBRARY_PATH" }
    }

    /// Returns the path of the program, or throws ``NotInstalled``.
    func installed() throws -> String {
        guard let path else { throw NotInstalled(name: name) }
        return path
    }

    /// Runs it to its end.
    ///
    /// - Throws: ``Failed`` with what it printed, unless it ends with status 0.
    func run(_ arguments: [String], in folder: ServerFolder) throws {
        let process = Process()
        let output = Pipe.uninherited()
        process.executableURL = URL(filePath: try installed())
        process.arguments = arguments
        process.environment = Self.environment
        process.currentDirectoryURL = URL(filePath: folder.path)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.fileHandleForWriting.close()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        guard process.waitForStatus() == 0 else {
            throw Failed(name: name, arguments: arguments, output: String(decoding: text, as: UTF8.self))
        }
    }

    /// Runs the program to its end with an input, and returns its output.
    ///
    /// - Throws: ``Failed`` unless it ends with status 0.
    func output(of arguments: [String], input: Data) throws -> Data {
        let folder = try ServerFolder(name)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try folder.write(input, to: "input")
        let process = Process()
        let output = Pipe.uninherited()
        process.executableURL = URL(filePath: try installed())
        process.arguments = arguments
        process.environment = Self.environment
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.path("input")))
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        guard process.waitForStatus() == 0 else {
            throw Failed(name: name, arguments: arguments, output: String(decoding: data, as: UTF8.self))
        }
        return data
    }

    struct NotInstalled: Error, CustomStringConvertible {
        let name: String
        var description: String { "\(name) is not installed" }
    }

    struct Failed: Error, CustomStringConvertible {
        let name: String
        let arguments: [String]
        let output: String
        var description: String { "\(name) \(arguments.joined(separator: " ")): \(output)" }
    }
}
