import StreamsHTTP

/// How fast something goes, as of the last few seconds.
struct RateMeter {
    private static let window = Duration.seconds(3)

    private var samples: [(at: ContinuousClock.Instant, bytes: Int64)] = []

    /// Takes note of how far it has come.
    mutating func record(_ bytes: Int64, at now: ContinuousClock.Instant) {
        // One sample from before the window stays, so that the window is always spanned.
        while samples.count > 1, samples[1].at + Self.window < now { samples.removeFirst() }
        samples.append((now, bytes))
    }

    /// Bytes a second; `nil` as long as that would be a guess.
    func rate(at now: ContinuousClock.Instant) -> Double? {
        guard let first = samples.first, let last = samples.last else { return nil }
        let time = (now - first.at) / .seconds(1)
        return time >= 0.1 ? Double(last.bytes - first.bytes) / time : nil
    }
}
