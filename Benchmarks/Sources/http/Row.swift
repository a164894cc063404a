import Foundation
import Measuring

/// What one side did in one scenario: the medians of all rounds.
struct Row: Codable {
    let scenario: String
    let side: Side
    let unit: String
    /// Units a second.
    let rate: Double?
    /// How often this library did what this side did once: the median of the rounds' ratios.
    let ratio: Double?
    let seconds: Double?
    /// Of the processor, for 100,000 requests or a gibibyte.
    var cpuSeconds: Double?
    /// In MiB.
    var peakMemory: Double?
    let threads: Int?
    /// In milliseconds: of 50, 99 and 99.9 %.
    let latencies: [Double]?
    /// In bytes, of a program that does one request.
    var programSize: Int?
    let failure: String?

    init(
        _ scenario: String, _ side: Side, _ unit: String, _ outcomes: [Outcome], comparedWith own: [Outcome],
        failure: String? = nil
    ) {
        func median(_ value: (Outcome) -> Double?) -> Double? {
            let known = outcomes.compactMap(value)
            return known.isEmpty ? nil : known.median
        }
        let amount = unit == "bytes/s" ? Double(1 << 30) : 100_000
        let ratios = zip(own, outcomes).map { ($0.rate / $1.rate) }
        self.scenario = scenario
        self.side = side
        self.unit = unit
        self.failure = failure
        rate = median { $0.rate }
        ratio = ratios.isEmpty ? nil : ratios.median
        seconds = median { $0.seconds }
        cpuSeconds = median { outcome in outcome.cpuSeconds.map { $0 / Double(outcome.units) * amount } }
        peakMemory = median { $0.peakMemory }
        threads = outcomes.map(\.threads).max()
        latencies = outcomes.compactMap(\.latencies).first.map { first in
            first.indices.map { index in outcomes.compactMap { $0.latencies?[index] }.median }
        }
    }

    var text: String {
        if let failure, rate == nil { return "  \(side.rawValue): \(failure)" }
        let isBytes = unit == "bytes/s"
        var parts = [
            isBytes ? number((rate ?? 0) / 1e6, "MB/s") : number(rate, "requests/s"), number(ratio, "x"),
            number(cpuSeconds, "CPU s"), number(peakMemory, "MiB"), "\(threads ?? 0) threads",
        ]
        if let latencies {
            let texts = latencies.map { String(format: "%.2f", $0) }
            parts.append("ms: \(texts.joined(separator: " / "))")
        }
        if let programSize { parts.append("\(programSize) bytes") }
        if let failure { parts.append(failure) }
        return "  " + side.rawValue.padding(toLength: 18, withPad: " ", startingAt: 0) + parts.joined(separator: "  ")
    }

    private func number(_ value: Double?, _ unit: String) -> String {
        let text = value.map { String(format: $0 < 1000 ? "%.2f" : "%.0f", $0) } ?? "-"
        return String(repeating: " ", count: max(0, 9 - text.count)) + "\(text) \(unit)"
    }
}

extension Outcome {
    var rate: Double { Double(units) / seconds }
}
