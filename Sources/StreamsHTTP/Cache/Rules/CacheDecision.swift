/// The result of ``CacheLookup/decision(at:)``: the handling of a request.
enum CacheDecision: Sendable {
    /// A stored response is used. If there is a validation, it is sent in the background meanwhile (RFC 5861, section
    /// 3).
    case serve(CacheServing, revalidating: CacheForwarding?)
    /// A request is sent: the one given, or a validation.
    case forward(CacheForwarding)
    /// Nothing may be sent, and nothing that is stored may be used: the response is ``CacheServing/refusal(of:)``.
    case refuse
}

/// The use of a stored response.
struct CacheServing: Hashable, Sendable {
    /// The stored response.
    let stored: StoredResponse
    /// The age of the response.
    let age: Duration
    /// The part of the body to deliver; all of it if `nil`.
    var range: Range<Int64>?
    /// The status for the request.
    var status: CacheStatus

    /// Returns the head to deliver: with an `Age`, and with the status 206 for a part.
    func head(for request: TransportRequest) -> HTTPResponse<Void> {
        var headers = stored.headers
        headers.set("Age", String(age.roundedDownSeconds))
        guard let range else {
            // Decoding has removed it, and a chunked body had none.
            if !headers.contains("Content-Length") { headers.set("Content-Length", String(stored.bodyLength)) }
            return HTTPResponse(
                status: stored.status, headers: headers, body: (), url: request.lazyURL, version: stored.version,
                reasonPhrase: stored.reasonText)
        }
        headers.set("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(stored.bodyLength)")
        headers.set("Content-Length", String(range.count))
        // It is the digest of the whole content (RFC 9530, section 2).
        headers.remove("Content-Digest")
        return HTTPResponse(
            status: .partialContent, headers: headers, body: (), url: request.lazyURL, version: stored.version,
            reasonPhrase: "Partial Content")
    }

    /// Returns the bytes of the stored body to deliver in response to a request; empty for HEAD.
    func bodyRange(for request: TransportRequest) -> Range<Int64> {
        request.method == .head ? 0..<0 : range ?? 0..<max(stored.bodyLength, 0)
    }

    /// Returns the head of the response to a request that may only use what is stored: 504 (RFC 9111, section 5.2.1.7).
    static func refusal(of request: TransportRequest) -> HTTPResponse<Void> {
        HTTPResponse(
            status: .gatewayTimeout, headers: ["Content-Length": "0"], body: (), url: request.lazyURL, version: .http11,
            reasonPhrase: "Gateway Timeout")
    }
}

/// A request to send, with the stored response that it concerns.
struct CacheForwarding: Sendable {
    /// The request of the program.
    let original: TransportRequest
    /// The request to send: the original one, or one that validates the stored response.
    let request: TransportRequest
    /// The reason.
    let reason: CacheStatus.ForwardReason
    /// The stored response that the request validates or completes, or that is used if the server fails; `nil` if there
    /// is none.
    let stored: StoredResponse?
    /// The condition that the cache has added to the request; `nil` if there is none.
    let condition: CacheCondition?
    /// The credentials of the request.
    let identity: CacheIdentity?
}

/// A condition that the cache adds to a request because of a stored response.
enum CacheCondition: Hashable, Sendable {
    /// The server sends the response if it has changed. A 304 is for the cache, and not for the program.
    case validation
    /// The server sends the rest of an incomplete response if that is unchanged. A 206 is for the cache.
    case completion(StrongValidator)

    /// The names of the fields that express the condition.
    var fieldNames: [String] {
        switch self {
        case .validation: ["If-None-Match", "If-Modified-Since"]
        case .completion: ["Range", "If-Range", "Accept-Encoding"]
        }
    }
}

/// The change to what is stored for a request after its response.
enum CacheChange: Hashable, Sendable {
    /// Nothing changes.
    case none
    /// The response is stored while its body is delivered, in place of what is stored.
    case store(StoredResponse)
    /// The head of what is stored is replaced, and its body stays.
    case update(StoredResponse)
    /// The stored response is removed: it is known to be outdated.
    case remove
}

/// The use of the response to a request that was sent.
enum CacheResult: Sendable {
    /// The response is delivered as it is received.
    case deliver(CacheChange, CacheStatus)
    /// A stored response is delivered in its place.
    case serve(CacheServing, CacheChange)
    /// The stored part of a response is delivered, and what the server sends after it.
    case complete(CacheServing, CacheChange)
    /// A 304 or a 206 that is not about the stored response: that is removed, and the request is sent without a
    /// condition.
    case resend(CacheForwarding)
}
