import Foundation
import Measuring

/// The results of one side in one scenario: the medians of all rounds.
struct Row: Codable {
    let scenario: String
    let side: Side
    let unit: String
    /// The units per second.
    let rate: Double?
    /// The rate of this library divided by that of this side: the median of the rounds' ratios.
    let ratio: Double?
    /// The quartiles of the rounds' ratios.
    let quartiles: [Double]?
    /// The bytes per second of events.
    let byteRate: Double?
    let seconds: Double?
    /// The processor time for 100,000 requests or events, or one gibibyte.
    var cpuSeconds: Double?
    /// The peak memory in MiB.
    var peakMemory: Double?
    let threads: Int?
    /// The latencies in milliseconds: the 50th, 99th and 99.9th percentile.
    let latencies: [Double]?
    /// The time in milliseconds until the first document from a cache that was filled before.
    let firstMilliseconds: Double?
    /// The size in bytes of a program that makes one request.
    var programSize: Int?
    /// The number of bytes of memory for each open feed.
    let bytesPerFeed: Double?
    /// The processor time as a part of the time, with open feeds.
    let cpuShare: Double?
    let failure: String?

    init(
        _ scenario: String, _ side: Side, _ unit: String, _ outcomes: [Outcome], comparedWith own: [Outcome],
        bytesPerUnit: Int? = nil, failure: String? = nil
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
        byteRate = bytesPerUnit.flatMap { size in median { $0.rate * Double(size) } }
        ratio = ratios.isEmpty ? nil : ratios.median
        quartiles = ratios.isEmpty ? nil : [ratios.quantile(0.25), ratios.quantile(0.75)]
        seconds = median { $0.seconds }
        cpuSeconds = median { outcome in outcome.cpuSeconds.map { $0 / Double(outcome.units) * amount } }
        peakMemory = median { $0.peakMemory }
        threads = outcomes.map(\.threads).max()
        firstMilliseconds = median { $0.firstMilliseconds }
        bytesPerFeed = median { $0.bytesPerFeed }
        cpuShare =
            bytesPerFeed == nil ? nil : median { outcome in outcome.cpuSeconds.map { $0 / outcome.seconds } }
        latencies = outcomes.compactMap(\.latencies).first.map { first in
            first.indices.map { index in outcomes.compactMap { $0.latencies?[index] }.median }
        }
    }

    var text: String {
        if let failure, rate == nil { return "  \(side.rawValue): \(failure)" }
        let isBytes = unit == "bytes/s"
        var parts = [
            isBytes ? number((rate ?? 0) / 1e6, "MB/s") : number(rate, unit), number(ratio, "x"),
            number(cpuSeconds, "CPU s"), number(peakMemory, "MiB"), "\(threads ?? 0) threads",
        ]
        if let byteRate { parts.append(number(byteRate / 1e6, "MB/s")) }
        if let quartiles { parts.append(String(format: "quartiles %.2f-%.2f", quartiles[0], quartiles[1])) }
        if let bytesPerFeed { parts.append(number(bytesPerFeed, "bytes/feed")) }
        if let cpuShare { parts.append(number(cpuShare * 100, "% CPU")) }
        if let latencies {
            let texts = latencies.map { String(format: "%.2f", $0) }
            parts.append("ms: \(texts.joined(separator: " / "))")
        }
        if let firstMilliseconds { parts.append(number(firstMilliseconds, "ms until the first")) }
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
