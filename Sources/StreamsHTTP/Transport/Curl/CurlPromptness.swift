/// Whether exchanges that have a transport to themselves are answered at once, so that it is worth while to wait.
struct CurlPromptness {
    /// What counts as at once.
    private let limit: Duration
    /// When the exchange that is alone began.
    private var began: ContinuousClock.Instant?
    /// Whether the last one that was alone was answered at once.
    private(set) var isExpected = false

    init(limit: Duration) {
        self.limit = limit
    }

    /// - Parameter others: How many exchanges are under way besides.
    mutating func begin(beside others: Int, now: ContinuousClock.Instant) {
        began = others == 0 ? now : nil
    }

    /// An exchange has been answered.
    mutating func end(now: ContinuousClock.Instant) {
        guard let began = began.take() else { return }
        isExpected = now - began <= limit
    }

    /// Somebody has waited in vain.
    mutating func disappoint() {
        isExpected = false
    }
}
