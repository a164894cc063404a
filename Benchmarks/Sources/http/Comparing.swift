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
        var server = try Server(configuration: Self.configuration, workerCount: 1)
        defer { server.stop() }
        var rows: [Row] = []
        for scenario in choice.scenarios where choice.includes(scenario.name) {
            show(scenario.name)
            if scenario.workerCount != server.workerCount {
                server.stop()
                server = try Server(configuration: Self.configuration, workerCount: scenario.workerCount)
            }
            let measured = try compare(scenario, server)
            for row in measured { show(row.text) }
            rows += measured
        }
        if choice.subject == .requests, choice.includes(StartUp.name) {
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

    private static let configuration = "Server/nginx.conf"

    private func compare(_ scenario: Scenario, _ server: Server) throws -> [Row] {
        var outcomes: [Side: [Outcome]] = [:]
        var failures: [Side: String] = [:]
        for side in scenario.sides {
            do {
                try verify(scenario.order(side, server), server)
                try prepare(scenario.order(side, server))
            } catch {
                failures[side] = "\(error)"
            }
        }
        let rounds = scenario.isLong ? min(choice.rounds, 2) : choice.rounds
        for _ in 0..<rounds {
            for side in scenario.sides where failures[side] == nil {
                do {
                    let order = try scenario.order(side, server)
                    outcomes[side, default: []].append(try outcome(of: order))
                    if order.kind == .upload { try server.verifyUpload() }
                } catch {
                    failures[side] = "\(error)"
                }
                server.forgetUploads()
            }
        }
        let own = outcomes[scenario.sides[0]] ?? []
        return scenario.sides.map { side in
            Row(
                scenario.name, side, scenario.unit, outcomes[side] ?? [], comparedWith: own,
                bytesPerUnit: scenario.bytesPerUnit, failure: failures[side])
        }
    }

    /// Has a client compare the contents of bodies or events, so that measuring takes no time for it.
    private func verify(_ order: Order, _ server: Server) throws {
        guard order.side.isVerified else { return }
        var order = order
        order.isVerification = true
        order.exactURL = server.exactURL(like: order.url)
        let (_, status) = try work(order)
        guard status == 0 else { throw ExchangeFailure("the verification ended with \(status)") }
    }

    /// Has a client fill its cache.
    private func prepare(_ order: Order) throws {
        guard order.kind == .storedAmongMany else { return }
        var order = order
        order.isPreparation = true
        let (_, status) = try work(order)
        guard status == 0 else { throw ExchangeFailure("filling the cache ended with \(status)") }
    }

    /// Executes an order in a process of its own.
    private func work(_ order: Order) throws -> (output: String, status: Int32) {
        let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
        let python = ProcessInfo.processInfo.environment["PEERS_PYTHON"] ?? "python3"
        let program = order.side.isPython ? [python, "Peers/caches.py"] : [CommandLine.arguments[0], "--work"]
        return try Command.run(program + [text], showingErrors: true)
    }

    private func outcome(of order: Order) throws -> Outcome {
        if order.side == .curl { return try CurlProgram.outcome(of: order) }
        let (output, status) = try work(order)
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
            case .documents, .stored, .storedAmongMany, .paced, .held: requests * Document.sample.id
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
