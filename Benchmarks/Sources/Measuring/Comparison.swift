/// What was measured of one pipeline.
public struct Comparison: Codable, Sendable {
    public struct Side: Codable, Sendable {
        /// Nanoseconds a unit: the median of all rounds.
        public var time: Double
        /// How many times memory was asked for, a unit.
        public var allocations: Double?
        /// How often this library's own time fits into this side's: the median, and a quarter of all to either side of
        /// it.
        public var ratio: Double
        public var quartiles: [Double]
    }

    public let name: String
    public let unit: Pipeline.Unit
    public let isSynchronous: Bool
    /// By the side's name; the first one is what the others are compared with.
    public let sides: [String: Side]
    /// Sides whose checksums differ from the first one's.
    public let disagreeing: [String]
}

/// Measures pipelines of several sides.
public struct Comparer {
    /// How often each side is measured.
    public var rounds: Int

    public init(rounds: Int = 15) {
        self.rounds = rounds
    }

    /// - Parameters:
    ///   - pipeline: Of the side that others are compared with.
    ///   - name: That side's name.
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

    /// What twice the work asks for more than the work: setting up does not count.
    private func allocations(of pipeline: Pipeline, count: Int) -> Double? {
        let once = Allocations.count { _ = pipeline.run(count) }
        let twice = Allocations.count { _ = pipeline.run(count * 2) }
        guard once > 0 else { return nil }
        return max(0, Double(twice) - Double(once)) / Double(count)
    }
}
