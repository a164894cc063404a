import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A generator of reproducible random numbers.
///
/// A failing test reports the seed, and `STREAMS_LAW_SEED` in the environment replays it alone.
final class SeededRandom: Sendable, CustomStringConvertible {
    private let seed: UInt64
    private let state: Atomic<UInt64>

    /// Creates a generator with a random seed.
    convenience init() {
        self.init(seed: Self.replayedSeed ?? .random(in: 0..<1_000_000_000))
    }

    /// Returns generators with fixed seeds and one with a random seed.
    ///
    /// On one thread, a breach that a fixed seed shows is found in each run of the tests. The random seed finds others
    /// in some runs.
    ///
    /// - Parameters:
    ///   - count: How many seeds from 0 on.
    ///   - seeds: Seeds that have shown breaches.
    static func series(_ count: Int, and seeds: [UInt64] = []) -> [SeededRandom] {
        if replayedSeed != nil { return [SeededRandom()] }
        return (Array(0..<UInt64(count)) + seeds).map { SeededRandom(seed: $0) } + [SeededRandom()]
    }

    private static let replayedSeed = getenv("STREAMS_LAW_SEED").flatMap { UInt64(String(cString: $0)) }

    init(seed: UInt64) {
        self.seed = seed
        state = Atomic(seed)
    }

    /// Returns the next number of the series that all threads share.
    func pick(_ range: ClosedRange<Int>) -> Int {
        // SplitMix64.
        var bits = state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        bits ^= bits >> 31
        return range.lowerBound + Int(bits % UInt64(range.count))
    }

    var description: String { "STREAMS_LAW_SEED=\(seed) reproduces this" }
}
