/// The wait of a request's content for 100 (Continue) (RFC 9110, section 10.1.1), or of what is sent by another protocol for
/// 101 (Switching Protocols), however long that takes.
struct ContinueWait {
    /// The time for which content waits at most.
    private static let timeout = Duration.seconds(1)

    /// Whether the content is not sent.
    private(set) var isHolding: Bool
    /// The end of the wait; `nil` if it is not waited for.
    private(set) var deadline: MonotonicTime?

    init(_ request: TransportRequest, hasContent: Bool, now: MonotonicTime) {
        isHolding = hasContent && (request.isUpgrade || request.headers.hasListElement("100-continue", of: "Expect"))
        deadline = isHolding && !request.isUpgrade ? now + Self.timeout : nil
    }

    /// Sends the content from now on, as the server has asked for it.
    mutating func end() {
        (isHolding, deadline) = (false, nil)
    }

    /// Stops waiting without sending the content, since the final response has begun.
    mutating func abandon() {
        deadline = nil
    }

    /// Sends the content from now on if the server has taken too long.
    ///
    /// - Returns: Whether there is content to send now.
    mutating func end(now: MonotonicTime) -> Bool {
        guard let deadline, deadline <= now else { return false }
        end()
        return true
    }
}
