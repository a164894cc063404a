import Foundation
import Measuring

/// Runs scenarios, each side in turn in a process of its own, and prints the results.
struct Comparing {
    /// Parts of the names of the scenarios to measure; all if empty.
    private var names: [String] = []
    private var rounds = 5
    /// The path of the file for the results as JSON.
    private var file: String?

    private static let usage = "usage: websockets [NAME...] [--rounds NUMBER] [--json FILE]"

    init(_ arguments: [String]) throws {
        var remaining = arguments[...]
        while let argument = remaining.popFirst() {
            guard argument.hasPrefix("--") else {
                names.append(argument)
                continue
            }
            guard let value = remaining.popFirst() else { throw Failure(Self.usage) }
            switch argument {
            case "--rounds": rounds = Int(value) ?? rounds
            case "--json": file = value
            default: throw Failure(Self.usage)
            }
        }
    }

    func run() throws {
        let server = try ServerProgram()
        var rows: [Row] = []
        for scenario in Scenario.all where names.isEmpty || names.contains(where: { scenario.name.contains($0) }) {
            show(scenario.name)
            let measured = compare(scenario, server.url)
            for row in measured { show(row.text) }
            rows += measured
        }
        guard let file else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(Results(machine: .current(), rows: rows)).write(to: URL(fileURLWithPath: file))
    }

    private func compare(_ scenario: Scenario, _ url: String) -> [Row] {
        var outcomes: [Side: [Outcome]] = [:]
        var failures: [Side: String] = [:]
        for _ in 0..<(scenario.kind == .open ? min(rounds, 2) : rounds) {
            for side in scenario.sides where failures[side] == nil {
                do {
                    outcomes[side, default: []].append(try outcome(of: side, scenario, url))
                } catch {
                    failures[side] = "\(error)"
                }
            }
        }
        let own = outcomes[.streams] ?? []
        return scenario.sides.map { side in
            Row(scenario, side, outcomes[side] ?? [], comparedWith: own, failure: failures[side])
        }
    }

    private func outcome(of side: Side, _ scenario: Scenario, _ url: String) throws -> Outcome {
        let (output, status) = try Command.run(side.program(scenario, url), showingErrors: true)
        guard status == 0, let outcome = try? JSONDecoder().decode(Outcome.self, from: Data(output.utf8)) else {
            throw Failure("ended with \(status)")
        }
        guard outcome.units == scenario.count else { throw Failure("\(outcome.units) echoes") }
        return outcome
    }

    private func show(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}

/// The results in the form of the file.
struct Results: Codable {
    let machine: Machine
    let rows: [Row]
}

/// The results of one side in one scenario: the medians of all rounds.
struct Row: Codable {
    let scenario: String
    let side: Side
    /// The messages a second, each way.
    var rate: Double?
    /// The bytes a second, each way.
    var byteRate: Double?
    /// The rate of this library divided by that of this side: the median of the rounds' ratios.
    var ratio: Double?
    /// The processor time of a message and its echo in microseconds.
    var cpuMicroseconds: Double?
    /// The processor time as a part of the time, with open WebSockets.
    var cpuShare: Double?
    var bytesPerSocket: Double?
    /// The peak memory in MiB.
    var peakMemory: Double?
    let failure: String?

    init(_ scenario: Scenario, _ side: Side, _ outcomes: [Outcome], comparedWith own: [Outcome], failure: String?) {
        self.scenario = scenario.name
        self.side = side
        self.failure = failure
        guard !outcomes.isEmpty else { return }
        peakMemory = outcomes.map(\.peakMemory).median
        guard scenario.kind != .open else {
            cpuShare = outcomes.map { $0.cpuSeconds / $0.seconds }.median
            bytesPerSocket = outcomes.compactMap(\.bytesPerSocket).median
            return
        }
        let rate = outcomes.map(\.rate).median
        self.rate = rate
        byteRate = rate * Double(scenario.size)
        ratio = own.isEmpty ? nil : zip(own, outcomes).map { $0.rate / $1.rate }.median
        cpuMicroseconds = outcomes.map { $0.cpuSeconds / Double($0.units) * 1e6 }.median
    }

    var text: String {
        var parts: [String] = []
        if let rate { parts.append(String(format: "%8.0f /s", rate)) }
        if let byteRate { parts.append(String(format: "%6.0f MB/s", byteRate / 1e6)) }
        if let ratio { parts.append(String(format: "%5.2f x", ratio)) }
        if let cpuMicroseconds { parts.append(String(format: "%7.2f us CPU", cpuMicroseconds)) }
        if let bytesPerSocket { parts.append(String(format: "%7.0f bytes/socket", bytesPerSocket)) }
        if let cpuShare { parts.append(String(format: "%5.2f %% CPU", cpuShare * 100)) }
        if let peakMemory { parts.append(String(format: "%5.0f MiB", peakMemory)) }
        if let failure { parts.append(failure) }
        return "  " + side.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0) + parts.joined(separator: "  ")
    }
}
