extension BodyRoute {
    /// Returns a route with random properties.
    ///
    /// - Parameters:
    ///   - framings: The framings to choose from.
    ///   - codings: The codings to choose from.
    static func random(
        framings: [Framing] = Framing.allCases, codings: [Coding] = [.identity, .identity, .identity, .deflate],
        using random: inout SplitMix64
    ) -> BodyRoute {
        BodyRoute(
            size: randomSize(using: &random), framing: one(of: framings, &random), coding: one(of: codings, &random),
            writes: one(of: Writes.allCases, &random), seed: .random(in: 0..<1000, using: &random))
    }

    /// Returns one of the sizes at which buffers end, or a random one.
    static func randomSize(using random: inout SplitMix64) -> Int {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: .random(in: 1...1000, using: &random)
        case 1: .random(in: 1...300_000, using: &random)
        default: one(of: sizes, &random)
        }
    }

    private static func one<Element>(of elements: [Element], _ random: inout SplitMix64) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }
}
