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
            pause = head.headers.retryAfter(now: now())
            if pause != nil || head.status == .tooManyRequests { remaining = 0 }
        }
        if pause == nil, let quota = head.headers.requestQuota(now: now) {
            remaining = min(remaining ?? .max, quota.remaining)
            if remaining == 0 { pause = quota.reset }
        }
        if remaining == nil { return nil }
    }
}
