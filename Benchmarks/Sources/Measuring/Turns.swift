/// Measures several sides alternately, so that other load on the machine affects all of them alike.
public struct Turns {
    /// The time of each side in each round, in nanoseconds.
    public private(set) var times: [[Double]]

    /// - Parameters:
    ///   - rounds: The number of measurements of each side, after one run that is not measured.
    ///   - sides: The closures to measure, in this order in each round.
    public init(rounds: Int, _ sides: [() -> Void]) {
        for side in sides { side() }
        times = Array(repeating: [], count: sides.count)
        let clock = ContinuousClock()
        for _ in 0..<rounds {
            for (index, side) in sides.enumerated() {
                times[index].append(Double(clock.measure(side).nanoseconds))
            }
        }
    }

    /// Returns the time of a side divided by that of the first side, for each round.
    public func ratios(of side: Int) -> [Double] {
        zip(times[0], times[side]).map { $1 / $0 }
    }
}

extension Duration {
    /// The duration in nanoseconds.
    public var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
