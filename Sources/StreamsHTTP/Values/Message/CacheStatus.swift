/// The handling of a request by the client's cache, in the terms of `Cache-Status` (RFC 9211).
public struct CacheStatus: Hashable, Sendable {
    /// A reason for which the request was sent to the server (RFC 9211, section 2.2).
    public enum ForwardReason: String, Hashable, Sendable, CaseIterable {
        /// The options of the request exclude the use of the cache.
        case bypass
        /// The method is neither GET nor HEAD.
        case method
        /// No response to a request for the URL is stored.
        case uriMiss = "uri-miss"
        /// Responses are stored for the URL, but none for the fields or the credentials of the request.
        case varyMiss = "vary-miss"
        /// A fresh response is stored, but the request asks for a newer one, for a part of one that cannot be taken
        /// from it, or has conditions of its own.
        case request
        /// The stored response was stale.
        case stale
        /// The stored response is incomplete. If ``CacheStatus/forwardStatus`` is 206, the server has sent the rest, which is
        /// delivered after the stored part.
        case partial
    }

    /// The reason for which the request was sent to the server; `nil` if a stored response was used without sending
    /// anything.
    public internal(set) var forwardReason: ForwardReason?
    /// The status of the server's response to the request that was sent, such as 304 if the stored response was
    /// validated; `nil` if nothing was sent, or if there was no response.
    public internal(set) var forwardStatus: HTTPStatus?
    /// Whether the body came from the cache: the stored response was fresh, was validated, or was used although it
    /// is stale.
    public internal(set) var isStoredResponse: Bool
    /// Whether the server's response has been, or is being, stored.
    public internal(set) var isStored = false
    /// Whether the request shared the exchange of another one.
    public internal(set) var isCollapsed = false
    /// The remaining time for which the response is fresh; negative if it is stale, and `nil` if no stored response
    /// was used.
    public internal(set) var timeToLive: Duration?

    /// Whether the request could only use a stored response, and there was none: the response is a 504 of the cache.
    public var isRefused: Bool { forwardReason == nil && !isStoredResponse }

    /// Whether a stored response was used without sending anything to the server before.
    public var isHit: Bool { forwardReason == nil && isStoredResponse }

    /// Whether the server confirmed that the stored response is current.
    public var isValidated: Bool { forwardStatus == .notModified && isStoredResponse }

    /// Whether the response came from the cache although it was stale.
    public var isStale: Bool { isStoredResponse && (timeToLive ?? .zero) < .zero }

    /// Creates the status of a request that was answered from the cache.
    init(hitWithTimeToLive timeToLive: Duration) {
        isStoredResponse = true
        self.timeToLive = timeToLive
    }

    /// The status of a request that could only use a stored response, without one.
    static let refused = CacheStatus()

    private init() {
        isStoredResponse = false
    }

    /// Creates the status of a request that is sent to the server.
    init(forwardedFor reason: ForwardReason) {
        forwardReason = reason
        isStoredResponse = false
    }
}

extension CacheStatus: CustomStringConvertible {
    /// The member of a `Cache-Status` field (RFC 9211): `Streams; hit; ttl=30` or `Streams; fwd=stale; fwd-status=304`.
    public var description: String {
        var parts = ["Streams"]
        if let forwardReason { parts.append("fwd=\(forwardReason.rawValue)") } else if isHit { parts.append("hit") }
        if let forwardStatus { parts.append("fwd-status=\(forwardStatus.code)") }
        if let timeToLive { parts.append("ttl=\(timeToLive.roundedDownSeconds)") }
        if isStored { parts.append("stored") }
        if isCollapsed { parts.append("collapsed") }
        return parts.joined(separator: "; ")
    }
}

extension Duration {
    /// The largest number of whole seconds that is not larger than this.
    var roundedDownSeconds: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds < 0 ? seconds - 1 : seconds
    }
}
