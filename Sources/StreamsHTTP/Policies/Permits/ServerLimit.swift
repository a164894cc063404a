/// The limit that a response sets on further requests to its origin.
struct ServerLimit: Hashable {
    /// The number of requests that are left; `nil` if it is unknown.
    var remaining: Int?
    /// The time until the next request may be sent; `nil` if it is unknown.
    var pause: Duration?

    /// Creates the limit of a response; `nil` if it sets none.
    ///
    /// - Parameter now: The local time.
    init?(_ head: HTTPResponse<Void>, now: @autoclosure () -> Date) {
        if head.status == .tooManyRequests || head.status == .serviceUnavailable {
            pause = head.headers.retryAfter(now: now())?.delay
            if pause != nil || head.status == .tooManyRequests { remaining = 0 }
        }
        if pause == nil, let quota = Self.quota(in: head.headers, now: now) {
            remaining = min(remaining ?? .max, quota.remaining)
            if remaining == 0 { pause = quota.reset }
        }
        if remaining == nil { return nil }
    }
}

extension ServerLimit {
    private typealias Quota = (remaining: Int, reset: Duration?)

    private static func quota(in headers: HTTPHeaders, now: () -> Date) -> Quota? {
        if headers.contains("RateLimit") {
            return smallest(of: headers.values(for: "RateLimit"), policies: headers.values(for: "RateLimit-Policy"))
        }
        for (remaining, reset) in Self.separateFields {
            guard let count = headers[remaining]?.trimmingOptionalWhitespace.decimalNumber else { continue }
            return (Int(clamping: count), headers[reset].flatMap { delay($0, now: now) })
        }
        return nil
    }

    private static let separateFields = [
        ("RateLimit-Remaining", "RateLimit-Reset"), ("X-RateLimit-Remaining", "X-RateLimit-Reset"),
    ]

    /// Returns a reset time in seconds, which some servers count from 1970.
    private static func delay(_ text: String, now: () -> Date) -> Duration? {
        guard let delay = Duration(deltaSeconds: text) else { return nil }
        guard delay >= .seconds(1_000_000_000) else { return delay }
        let date = Date(timeIntervalSince1970: delay / .seconds(1))
        return RetryAfter.delay(until: date, now: now())
    }

    /// Returns the item with the smallest remaining number. The window of its policy takes the place of a reset time
    /// that it lacks.
    private static func smallest(of values: [String], policies: [String]) -> Quota? {
        let items = values.flatMap { Item.list(in: $0) }
        let known = items.compactMap { item in item.number("r").map { (item, $0) } }
        guard let (item, remaining) = known.min(by: { $0.1 < $1.1 }) else { return nil }
        let policy = policies.lazy.flatMap { Item.list(in: $0) }.first { $0.name == item.name }
        let reset = item.parameters["t"] ?? policy?.parameters["w"]
        return (Int(clamping: remaining), reset.flatMap { Duration(deltaSeconds: $0) })
    }
}

/// An item of a structured list with its parameters (RFC 9651, section 3.1), as far as the fields of limits need it.
private struct Item {
    var name = ""
    var parameters: [String: String] = [:]

    func number(_ key: String) -> Int64? { parameters[key]?.decimalNumber }

    static func list(in text: String) -> [Item] {
        text.splitOutsideQuotes(at: ",").map { text in
            let parts = text.splitOutsideQuotes(at: ";").map { String($0.trimmingOptionalWhitespace) }
            var item = Item(name: parts.first ?? "")
            for part in parts.dropFirst() {
                let pair = part.split(separator: "=", maxSplits: 1)
                if pair.count == 2 { item.parameters[String(pair[0])] = String(pair[1]) }
            }
            return item
        }
    }
}
