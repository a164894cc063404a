/// The value of a `Retry-After` field: seconds, or a date (RFC 9110, section 10.2.3).
struct RetryAfter {
    let delay: Duration

    init?(_ value: String, now: Date) {
        let value = value.trimmingOptionalWhitespace
        if let seconds = Int(value), seconds >= 0 {
            delay = .seconds(seconds)
        } else if let date = HTTPDate(String(value)) {
            delay = .seconds(max(date.date.timeIntervalSince(now), 0))
        } else {
            return nil
        }
    }
}

extension HTTPHeaders {
    /// How long the server asks to be left alone.
    ///
    /// - Parameter now: The time here. A date is held against the server's own clock where the response tells it, so
    ///   that it does not matter how far the two are apart.
    func retryAfter(now: Date) -> RetryAfter? {
        let now = self["Date"].flatMap { HTTPDate($0) }?.date ?? now
        return self["Retry-After"].flatMap { RetryAfter($0, now: now) }
    }
}
