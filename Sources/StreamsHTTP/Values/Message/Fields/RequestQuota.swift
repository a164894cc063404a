/// The number of further requests that a server accepts, as a response declares it.
struct RequestQuota {
    let remaining: Int
    /// The time until the server accepts more; `nil` if it is unknown.
    let reset: Duration?

    /// The time until the next request may be sent; `nil` if one may be sent now, or if that is unknown.
    var pause: Duration? { remaining == 0 ? reset : nil }
}

extension RequestQuota {
    /// Creates the quota that a response leaves; `nil` if it declares none. A status that refuses the request because of
    /// the server's load leaves none.
    ///
    /// - Parameter now: The local time.
    init?(_ head: HTTPResponse<Void>, now: @autoclosure () -> Date) {
        let isRefused = head.status == .tooManyRequests || head.status == .serviceUnavailable
        if isRefused, let retryAfter = head.headers.retryAfter(now: now()) {
            self.init(remaining: 0, reset: retryAfter)
            return
        }
        let quota = head.headers.requestQuota(now: now)
        if head.status == .tooManyRequests {
            self.init(remaining: 0, reset: quota?.reset)
        } else if let quota {
            self = quota
        } else {
            return nil
        }
    }

    /// The quota of an item of `RateLimit`; `nil` if it declares none.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - policies: The members of `RateLimit-Policy`. The window of the item's policy takes the place of a reset time
    ///     that it lacks.
    fileprivate init?(_ item: FieldMember, _ policies: [FieldMember]) {
        guard let remaining = item.parameter("r")?.decimalNumber else { return nil }
        self.remaining = Int(clamping: remaining)
        let seconds = item.parameter("t") ?? policies.first { $0.text == item.text }?.parameter("w")
        reset = seconds.flatMap { Duration(deltaSeconds: $0) }
    }

    /// The quota of fields of earlier conventions; `nil` if they declare none.
    fileprivate init?(remaining: String?, reset: @autoclosure () -> String?, now: () -> Date) {
        guard let remaining = remaining?.trimmingOptionalWhitespace.decimalNumber else { return nil }
        self.remaining = Int(clamping: remaining)
        self.reset = reset().flatMap { Self.delay($0, now: now) }
    }

    /// Returns a reset time in seconds, which some servers count from 1970.
    private static func delay(_ text: String, now: () -> Date) -> Duration? {
        guard let delay = Duration(deltaSeconds: text) else { return nil }
        guard delay >= .seconds(1_000_000_000) else { return delay }
        let date = Date(timeIntervalSince1970: delay / .seconds(1))
        return Duration.delay(until: date, now: now())
    }
}

extension HTTPHeaders {
    /// Returns the smallest quota that the fields declare; `nil` if they declare none.
    ///
    /// - Parameter now: The local time.
    fileprivate func requestQuota(now: () -> Date) -> RequestQuota? {
        if contains("RateLimit") {
            let policies = FieldMember.list(in: values(for: "RateLimit-Policy"))
            return FieldMember.list(in: values(for: "RateLimit")).compactMap { RequestQuota($0, policies) }
                .min { $0.remaining < $1.remaining }
        }
        for (remaining, reset) in Self.fieldsOfEarlierQuotas {
            let quota = RequestQuota(remaining: self[remaining], reset: self[reset], now: now)
            if let quota { return quota }
        }
        return nil
    }

    private static let fieldsOfEarlierQuotas = [
        ("RateLimit-Remaining", "RateLimit-Reset"), ("X-RateLimit-Remaining", "X-RateLimit-Reset"),
    ]
}
