/// The measurements of one pipeline.
public struct Comparison: Codable, Sendable {
    public struct Side: Codable, Sendable {
        /// The nanoseconds per unit: the median of all rounds.
        public var time: Double
        /// The number of allocations per unit.
        public var allocations: Double?
        /// The time of this side divided by that of this library: the median. ``quartiles`` has the quartiles.
        public var ratio: Double
        public var quartiles: [Double]
    }

    public let name: String
    public let unit: Pipeline.Unit
    public let isSynchronous: Bool
    /// The sides by name. The others are compared with the first one.
    public let sides: [String: Side]
    /// The sides whose checksums differ from that of the first one.
    public let disagreeing: [String]
}

/// Measures the pipelines of several sides.
public struct Comparer {
    /// The number of measurements of each side.
    public var rounds: Int

    public init(rounds: Int = 15) {
        self.rounds = rounds
    }

    /// - Parameters:
    ///   - pipeline: The pipeline of the side that the others are compared with.
    ///   - name: The name of that side.
    ///   - peers: The other sides.
    public func compare(_ pipeline: Pipeline, of name: String, with peers: [(name: String, pipeline: Pipeline)])
        -> Comparison
    {
        let contenders = [(name: name, pipeline: pipeline)] + peers
        let count = pipeline.count
        let sums = contenders.map { $0.pipeline.run(count) }
        let turns = Turns(rounds: rounds, contenders.map { contender in { _ = contender.pipeline.run(count) } })
        var sides: [String: Comparison.Side] = [:]
        for (index, contender) in contenders.enumerated() {
            let ratios = turns.ratios(of: index)
            sides[contender.name] = Comparison.Side(
                time: turns.times[index].median / Double(count),
                allocations: allocations(of: contender.pipeline, count: count),
                ratio: ratios.median,
                quartiles: [ratios.quantile(0.25), ratios.quantile(0.75)])
        }
        let disagreeing = zip(contenders, sums).filter { $1 != sums[0] }.map(\.0.name)
        return Comparison(
            name: pipeline.name, unit: pipeline.unit, isSynchronous: pipeline.isSynchronous, sides: sides,
            disagreeing: disagreeing)
    }

    /// Returns the allocations per unit without those of the setup: the difference between twice the work and the work.
    private func allocations(of pipeline: Pipeline, count: Int) -> Double? {
        let once = Allocations.count { _ = pipeline.run(count) }
        let twice = Allocations.count { _ = pipeline.run(count * 2) }
        guard once > 0 else { return nil }
        return max(0, Double(twice) - Double(once)) / Double(count)
    }
}
