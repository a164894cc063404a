/// Takes measurements of several sides turn by turn, so that what else the machine does meets all of them alike.
public struct Turns {
    /// What a side took in each round, in nanoseconds.
    public private(set) var times: [[Double]]

    /// - Parameters:
    ///   - rounds: How often each side is measured, after it ran once to get warm.
    ///   - sides: What is measured, in this order in each round.
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

    /// How often a side's time fits into the first one's, in each round.
    public func ratios(of side: Int) -> [Double] {
        zip(times[0], times[side]).map { $1 / $0 }
    }
}

extension Duration {
    /// The whole of it in nanoseconds.
    public var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
