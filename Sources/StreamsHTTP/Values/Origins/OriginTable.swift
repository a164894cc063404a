/// Values by origin (RFC 6454). Idle ones are removed whenever the table has doubled, and at the first use after a minute,
/// so that its size depends neither on the number of origins that a client has ever used, nor on the most at once.
struct OriginTable<Value> {
    /// The number of origins up to which none is removed.
    private static var minimumThreshold: Int { 256 }
    /// The time after which idle origins are removed even if the table has not grown.
    private static var sweepInterval: Duration { .seconds(60) }

    private(set) var values: [String: Value] = [:]
    private var threshold = Self.minimumThreshold
    private var lastSweep = Duration.zero

    /// Changes the value of an origin, which is added if it is missing.
    ///
    /// - Parameters:
    ///   - origin: The origin.
    ///   - initial: The value of an origin that is added.
    ///   - now: The time by a clock that never goes back. It is read only if there are many origins.
    ///   - isIdle: Returns whether a value may be removed.
    ///   - change: The change.
    mutating func update<Result>(
        _ origin: String, initial: @autoclosure () -> Value, now: @autoclosure () -> Duration = .sinceLaunch,
        removing isIdle: (Value) -> Bool, _ change: (inout Value) -> Result
    ) -> Result {
        if values.count >= Self.minimumThreshold { sweepIfDue(now(), adding: origin, removing: isIdle) }
        return change(&values[origin, default: initial()])
    }

    private mutating func sweepIfDue(_ now: Duration, adding origin: String, removing isIdle: (Value) -> Bool) {
        let isFull = values.count >= threshold && values[origin] == nil
        guard isFull || now - lastSweep >= Self.sweepInterval else { return }
        values = values.filter { !isIdle($0.value) }
        threshold = max(values.count * 2, Self.minimumThreshold)
        lastSweep = now
    }
}

extension Duration {
    private static let launch = ContinuousClock.now

    /// The time since the first use of this property.
    fileprivate static var sinceLaunch: Duration { launch.duration(to: .now) }
}
