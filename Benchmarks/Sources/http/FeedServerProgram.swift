import Exchanging
import FeedServing
import Foundation

/// This program as a server of feeds, in a process of its own, which ends when this object is released.
final class FeedServerProgram {
    static let argument = "--serve-feeds"
    /// The time between two events of a feed.
    static let interval = Duration.seconds(10)

    let url: String
    private let process = Process()
    /// Its end, also when this process crashes, is that of the server.
    private let input = Pipe()

    /// - Parameter identity: The paths of a certificate and its key, with which the server speaks TLS.
    init(identity: (certificate: String, key: String)? = nil) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [Self.argument] + (identity.map { [$0.certificate, $0.key] } ?? [])
        process.standardOutput = output
        process.standardInput = input
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .newlines)) else {
            throw ExchangeFailure("the server of feeds does not start")
        }
        url = "\(identity == nil ? "http" : "https")://127.0.0.1:\(port)/feed"
    }

    deinit {
        process.terminate()
        process.waitUntilExit()
    }

    /// Prints the port, and serves until the standard input ends.
    ///
    /// - Parameter paths: Those of a certificate and its key, if the server is to speak TLS.
    static func serve(_ paths: [String]) async throws {
        let identity = paths.count == 2 ? (certificate: paths[0], key: paths[1]) : nil
        let server = try await FeedServer(every: .seconds(interval.components.seconds), identity: identity)
        FileHandle.standardOutput.write(Data("\(server.port)\n".utf8))
        Thread.detachNewThread {
            while !FileHandle.standardInput.availableData.isEmpty {}
            exit(0)
        }
        try await server.wait()
    }
}
