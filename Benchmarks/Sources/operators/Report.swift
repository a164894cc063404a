import Foundation
import Measuring

/// The results as text for a terminal.
enum Report {
    static let peers = ["OpenCombine", "AsyncAlgorithms", "loop"]

    static var heading: String {
        let columns = ["ns", "allocs"] + peers.map { "x \($0)" } + ["its allocs", "loop's allocs"]
        return "".padding(toLength: 52, withPad: " ", startingAt: 0) + columns.map(right).joined()
    }

    static func line(of comparison: Comparison) -> String {
        let own = comparison.sides["Streams"]
        var columns = [text(own?.time), text(own?.allocations)]
        columns += peers.map { text(comparison.sides[$0]?.ratio) }
        columns += ["OpenCombine", "loop"].map { text(comparison.sides[$0]?.allocations) }
        let name = "\(comparison.name), a \(comparison.unit.rawValue)"
        let complaint = comparison.disagreeing.isEmpty ? "" : "  DIFFERS: \(comparison.disagreeing)"
        return name.padding(toLength: 52, withPad: " ", startingAt: 0) + columns.map(right).joined() + complaint
    }

    static func summary(of comparisons: [Comparison], memory: MemoryComparison?) -> String {
        let ratios = comparisons.compactMap { $0.sides["OpenCombine"]?.ratio }
        var lines: [String] = []
        if !ratios.isEmpty {
            let mean = text(ratios.geometricMean)
            lines.append("against OpenCombine: geometric mean \(mean), least \(text(ratios.min()))")
        }
        let allocating = comparisons.filter { comparison in
            // Allocations of the loop by hand are not those of the library.
            let own = comparison.sides["Streams"]?.allocations ?? 0
            let loop = comparison.sides["loop"]?.allocations ?? 0
            return comparison.isSynchronous && own > loop + 0.0001
        }
        if !allocating.isEmpty { lines.append("allocate for each event: \(allocating.map(\.name))") }
        for (name, side) in memory?.sides.sorted(by: { $0.key > $1.key }) ?? [] {
            let figures = "\(text(side.bytes)) bytes, \(text(side.allocations)) allocations"
            lines.append("\(MemoryComparison.name), a subscription, \(name): \(figures)")
        }
        if let ratio = memory?.ratio { lines.append("memory against OpenCombine: \(text(ratio)) times less") }
        return lines.joined(separator: "\n")
    }

    private static func text(_ number: Double?) -> String {
        number.map { String(format: $0 < 100 ? "%.2f" : "%.0f", $0) } ?? "-"
    }

    private static func right(_ text: String) -> String {
        String(repeating: " ", count: max(1, 18 - text.count)) + text
    }
}

/// The results in the form of the file.
struct Results: Codable {
    let machine: Machine
    let comparisons: [Comparison]
    let memory: MemoryComparison?

    func write(to file: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try encoder.encode(self).write(to: URL(fileURLWithPath: file))
    }
}
