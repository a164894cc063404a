import CLibcurl

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

/// A date in one of the three forms of RFC 9110, section 5.6.7.
struct HTTPDate {
    let date: Date

    init?(_ text: String) {
        let seconds = curl_getdate(text, nil)
        guard seconds >= 0 else { return nil }
        date = Date(timeIntervalSince1970: Double(seconds))
    }
}
