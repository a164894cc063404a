extension Duration {
    /// The longest delay of a header field in seconds, a hundred years. With it, every sum of a time and a delay is in
    /// range.
    private static let maxDeltaSeconds: Int64 = 100 * 365 * 86_400

    /// Creates a duration from a header field's number of seconds, which may have a fraction. RFC 9110, section 10.2.3,
    /// does not limit the number, so one that is too large is valid.
    init?(deltaSeconds value: String) {
        let parts = value.trimmingOptionalWhitespace.split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.allSatisfy(\.isDecimal) else { return nil }
        let fraction = parts.count > 1 ? Double("0.\(parts[1])") ?? 0 : 0
        self = .seconds(min(Int64(whole) ?? .max, Self.maxDeltaSeconds)) + .seconds(fraction)
    }

    /// Returns the delay until a date, zero if the date has passed.
    static func delay(until date: Date, now: Date) -> Duration {
        .seconds(min(max(date.timeIntervalSince(now), 0), Double(maxDeltaSeconds)))
    }
}

extension HTTPHeaders {
    /// Returns the delay that the server requests by a `Retry-After`: seconds, or a date (RFC 9110, section 10.2.3).
    /// Some servers send fractions of a second, which that section does not allow.
    ///
    /// - Parameter now: The local time. A date is compared with the response's own `Date`, if it has one, so that
    ///   differences between the clocks do not matter.
    func retryAfter(now: Date) -> Duration? {
        guard let value = self["Retry-After"] else { return nil }
        if let delay = Duration(deltaSeconds: value) { return delay }
        guard let date = HTTPDate(String(value.trimmingOptionalWhitespace)) else { return nil }
        return Duration.delay(until: date.date, now: self["Date"].flatMap { HTTPDate($0) }?.date ?? now)
    }
}

extension HTTPError {
    /// Returns the delay before another attempt that the server or a policy of the client requests.
    ///
    /// - Parameter now: The local time.
    func retryAfter(now: Date) -> Duration? {
        if case .connection(let connection) = reason { return connection.retryAfter }
        return response?.headers.retryAfter(now: now)
    }
}
