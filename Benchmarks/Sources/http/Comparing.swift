import Exchanging
import Foundation
import Measuring

/// Runs scenarios, each side in turn in a process of its own, and prints the results.
struct Comparing {
    let choice: Choice

    init(_ choice: Choice) {
        self.choice = choice
    }

    func run() throws {
        let server = try Server(configuration: "Server/nginx.conf")
        defer { server.stop() }
        var rows: [Row] = []
        for scenario in choice.isOfFeeds ? Scenario.feeds : Scenario.all where choice.includes(scenario.name) {
            show(scenario.name)
            let measured = try compare(scenario, server)
            for row in measured { show(row.text) }
            rows += measured
        }
        if !choice.isOfFeeds, choice.includes(StartUp.name) {
            let measured = try StartUp.measure(server, rounds: choice.rounds * 2)
            show(StartUp.name)
            for row in measured { show(row.text) }
            rows += measured
        }
        if let file = choice.file {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            let results = Results(machine: .current(), server: Self.serverVersion, rows: rows)
            try encoder.encode(results).write(to: URL(fileURLWithPath: file))
        }
    }

    private func compare(_ scenario: Scenario, _ server: Server) throws -> [Row] {
        var outcomes: [Side: [Outcome]] = [:]
        var failures: [Side: String] = [:]
        let rounds = scenario.isLong ? min(choice.rounds, 2) : choice.rounds
        for _ in 0..<rounds {
            for side in scenario.sides where failures[side] == nil {
                do {
                    outcomes[side, default: []].append(try outcome(of: scenario.order(side, server)))
                } catch {
                    failures[side] = "\(error)"
                }
                server.forgetUploads()
            }
        }
        let own = outcomes[.streams] ?? []
        return scenario.sides.map { side in
            Row(
                scenario.name, side, scenario.unit, outcomes[side] ?? [], comparedWith: own,
                bytesPerUnit: scenario.bytesPerUnit, failure: failures[side])
        }
    }

    private func outcome(of order: Order) throws -> Outcome {
        if order.side == .curl { return try CurlProgram.outcome(of: order) }
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let (output, status) = try Command.run([CommandLine.arguments[0], "--work", text], showingErrors: true)
        guard status == 0, let outcome = try? JSONDecoder().decode(Outcome.self, from: Data(output.utf8)) else {
            throw ExchangeFailure("ended with \(status)")
        }
        let expected = try order.expectedChecksum
        guard !order.isVerified || outcome.checksum == expected else {
            throw ExchangeFailure("the checksum is \(outcome.checksum) instead of \(expected)")
        }
        return outcome
    }

    private func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private static var serverVersion: String {
        (try? Command.run(["sh", "-c", "nginx -v 2>&1; curl --version | head -n 1"]).output) ?? "unknown"
    }
}

extension Order {
    /// Whether the result has a checksum. Documents that are not decoded have none.
    fileprivate var isVerified: Bool { side.decodes || kind == .events }

    fileprivate var expectedChecksum: Int {
        get throws {
            switch kind {
            case .documents, .paced, .held: requests * Document.sample.id
            case .streamed: try requests * JSONEncoder().encode(Document.sample).count
            case .events:
                side == .loop
                    ? requests * eventSize : NumberedEvents(count: requests, size: eventSize).totalDataSize
            case .feeds: requests
            case .download, .downloadAsIs, .upload: Server.largeSize
            }
        }
    }
}

/// The results in the form of the file.
struct Results: Codable {
    let machine: Machine
    let server: String
    let rows: [Row]
}
