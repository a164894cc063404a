/// The value of a `Retry-After` field: seconds, or a date (RFC 9110, section 10.2.3). Some servers send fractions of a
/// second, which that section does not allow.
struct RetryAfter {
    let delay: Duration

    init?(_ value: String, now: Date) {
        if let delay = Duration(deltaSeconds: value) {
            self.delay = delay
        } else if let date = HTTPDate(String(value.trimmingOptionalWhitespace)) {
            delay = Self.delay(until: date.date, now: now)
        } else {
            return nil
        }
    }

    /// Returns the delay until a date, zero if the date has passed.
    static func delay(until date: Date, now: Date) -> Duration {
        .seconds(min(max(date.timeIntervalSince(now), 0), Double(Duration.maxDeltaSeconds)))
    }
}

extension Duration {
    /// The longest delay of a header field in seconds, a hundred years. With it, every sum of a time and a delay is in
    /// range.
    fileprivate static let maxDeltaSeconds: Int64 = 100 * 365 * 86_400

    /// Creates a duration from a header field's number of seconds, which may have a fraction. RFC 9110, section 10.2.3,
    /// does not limit the number, so one that is too large is valid.
    init?(deltaSeconds value: String) {
        let parts = value.trimmingOptionalWhitespace.split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.allSatisfy(\.isDecimal) else { return nil }
        let fraction = parts.count > 1 ? Double("0.\(parts[1])") ?? 0 : 0
        self = .seconds(min(Int64(whole) ?? .max, Self.maxDeltaSeconds)) + .seconds(fraction)
    }
}

extension HTTPHeaders {
    /// Returns the delay that the server requests.
    ///
    /// - Parameter now: The local time. A date is compared with the response's own `Date`, if it has one, so that
    ///   differences between the clocks do not matter.
    func retryAfter(now: Date) -> RetryAfter? {
        let now = self["Date"].flatMap { HTTPDate($0) }?.date ?? now
        return self["Retry-After"].flatMap { RetryAfter($0, now: now) }
    }
}

extension HTTPError {
    /// Returns the delay before another attempt that the server or a policy of the client requests.
    ///
    /// - Parameter now: The local time.
    func retryAfter(now: Date) -> Duration? {
        if case .connection(let connection) = reason { return connection.retryAfter }
        return response?.headers.retryAfter(now: now)?.delay
    }
}
