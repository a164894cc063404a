import Foundation
import WebSocketServing

/// This program as a server, in a process of its own, which ends when this object is released.
final class ServerProgram {
    static let argument = "--serve"

    let url: String
    private let process = Process()
    /// Its end, also when this process crashes, is that of the server.
    private let input = Pipe()

    init() throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [Self.argument]
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else { throw Failure("the server does not start") }
        url = "ws://127.0.0.1:\(port)/"
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Prints the port, and serves until the standard input ends.
    static func serve() async throws {
        let server = try await WebSocketServer()
        FileHandle.standardOutput.write(Data("\(server.port)\n".utf8))
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(0)
        }
        try await server.wait()
    }
}
