import Exchanging
import Foundation
import Measuring

/// Measures programs that make one request: the time from start to end, and the size.
enum StartUp {
    static let name = "start-up: one request"

    static let programs: [(Side, String)] = [
        (.streams, "one-by-streams"),
        (.asyncHTTPClient, "one-by-async-http-client"),
        (.urlSession, "one-by-urlsession"),
    ]

    static func measure(_ server: Server, rounds: Int) throws -> [Row] {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        let built = programs.filter { FileManager.default.fileExists(atPath: "\(folder)/\($0.1)") }
        var outcomes: [Side: [Outcome]] = [:]
        for _ in 0..<rounds {
            for (side, program) in built {
                let start = ContinuousClock.now
                let (output, status) = try Command.run(["\(folder)/\(program)", "\(server.plainURL)/document.json"])
                let seconds = (ContinuousClock.now - start) / .seconds(1)
                guard status == 0, let sum = Int(output.trimmingCharacters(in: .whitespacesAndNewlines)) else {
                    throw ExchangeFailure("\(program) ended with \(status)")
                }
                outcomes[side, default: []].append(
                    Outcome(
                        seconds: seconds, cpuSeconds: nil, peakMemory: nil, threads: 0, units: 1, checksum: sum))
            }
        }
        let own = outcomes[.streams] ?? []
        return try built.map { side, program in
            var row = Row(name, side, "requests/s", outcomes[side] ?? [], comparedWith: own)
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(program)")
            row.programSize = (attributes[.size] as? NSNumber)?.intValue
            return row
        }
    }
}
