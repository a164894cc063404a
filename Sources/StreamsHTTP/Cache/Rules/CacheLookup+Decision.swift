extension CacheLookup {
    /// The names of the fields that make a request conditional (RFC 9110, section 13.1).
    private static let conditionNames = [
        "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since",
    ]

    /// The reason for which nothing that is stored can answer the request; `nil` if something may.
    var exclusion: CacheStatus.ForwardReason? {
        if request.cache.mode == .unstored || request.isUpgrade { return .bypass }
        guard request.method == .get || request.method == .head else { return .method }
        // The response may depend on the content of a request, which the key does not contain.
        guard request.body.isEmpty else { return .bypass }
        // The result of a condition of the program's own is the program's.
        let hasConditions = Self.conditionNames.contains { request.headers.contains($0) }
        return control.isNoStore || hasConditions || hasUnusableRange ? .request : nil
    }

    /// Whether the request asks for ranges that are not taken from a stored response.
    private var hasUnusableRange: Bool {
        request.method == .get && request.headers.contains("Range") && ByteRange(of: request) == nil
    }

    /// Whether nothing may be sent.
    private var usesStoredOnly: Bool { request.cache.mode == .storedOnly || control.isOnlyIfCached }

    /// Returns the handling of the request, once ``next(after:)`` has returned `nil` (RFC 9111, section 4).
    func decision(at now: Date) -> CacheDecision {
        if let exclusion { return usesStoredOnly ? .refuse : .forward(forwarding(exclusion)) }
        guard let stored = found?.response, isUsable(stored, at: now) else {
            return usesStoredOnly ? .refuse : .forward(forwarding(missReason))
        }
        guard stored.isComplete else { return usesStoredOnly ? .refuse : .forward(completion(of: stored)) }
        var bounds: Range<Int64>?
        if let range = ByteRange(of: request) {
            bounds = stored.bounds(of: range)
            guard bounds != nil else { return usesStoredOnly ? .refuse : .forward(forwarding(.request)) }
        }
        let serving = CacheServing(
            stored: stored, age: stored.age(at: now), range: bounds,
            status: CacheStatus(hitWithTimeToLive: stored.timeToLive(at: now)))
        return decision(serving)
    }

    private func decision(_ serving: CacheServing) -> CacheDecision {
        let stored = serving.stored
        let staleness = Duration.zero - (serving.status.timeToLive ?? .zero)
        let isFresh = staleness < .zero
        let reason: CacheStatus.ForwardReason = isFresh ? .request : .stale
        let meetsRequest = meetsRequest(serving, isFresh: isFresh)
        if !stored.control.isNoCache, meetsRequest {
            if isFresh { return .serve(serving, revalidating: nil) }
            if allowsStale(serving, by: staleness) { return .serve(serving, revalidating: nil) }
            if !usesStoredOnly, allowsRevalidation(stored, staleness) {
                return .serve(serving, revalidating: forwarding(reason, validating: stored))
            }
        }
        guard !usesStoredOnly else { return .refuse }
        return .forward(forwarding(reason, validating: stored))
    }

    /// Returns whether the request accepts the response without a validation, apart from its staleness (RFC 9111,
    /// section 5.2.1).
    private func meetsRequest(_ serving: CacheServing, isFresh: Bool) -> Bool {
        if control.isNoCache { return false }
        // A fresh response that is immutable needs no validation at a reload (RFC 8246, section 2).
        if request.cache.mode == .validated { return isFresh && serving.stored.control.isImmutable }
        if let maxAge = control.maxAge, maxAge == .zero || serving.age > maxAge { return false }
        if let minFresh = control.minFresh, serving.status.timeToLive ?? .zero < minFresh { return false }
        return true
    }

    /// Returns whether the request accepts a stale response, and the response does not forbid it (RFC 9111, section
    /// 4.2.4).
    private func allowsStale(_ serving: CacheServing, by staleness: Duration) -> Bool {
        guard !serving.stored.control.mustRevalidate else { return false }
        switch control.maxStale {
        case .any: return true
        case .limit(let limit) where staleness <= limit: return true
        default: break
        }
        guard request.cache.mode == .storedOnly, let limit = request.cache.staleIfError else { return false }
        return staleness <= limit
    }

    /// Returns whether the response may be used while it is validated (RFC 5861, section 3).
    private func allowsRevalidation(_ stored: StoredResponse, _ staleness: Duration) -> Bool {
        guard !stored.control.mustRevalidate, asksForWhole, control.minFresh == nil,
            let limit = stored.control.staleWhileRevalidate
        else { return false }
        return staleness <= limit
    }

    /// Returns whether the response may be used or validated by the request. One to a request without credentials is
    /// used for a request with cookies as long as it is fresh, as browsers do; to validate it, or to update it by a
    /// response that cookies may have changed, would make it that of a user.
    private func isUsable(_ stored: StoredResponse, at now: Date) -> Bool {
        stored.identity == identity || stored.isFresh(at: now) && !stored.control.isNoCache && !asksForValidation
    }

    private var asksForValidation: Bool { control.isNoCache || request.cache.mode == .validated }

    private var missReason: CacheStatus.ForwardReason { root == nil ? .uriMiss : .varyMiss }

    /// Returns the request to send.
    private func forwarding(
        _ reason: CacheStatus.ForwardReason, validating stored: StoredResponse? = nil
    ) -> CacheForwarding {
        let stored = stored?.identity == identity ? stored : nil
        // A HEAD is small: a condition would only save the server's work. A server evaluates the condition before a range
        // (RFC 9110, section 13.2.2), so a 304 makes all of the stored response fresh.
        let fields = request.method == .get ? stored?.conditionalFields ?? [:] : [:]
        return forwarding(reason, fields, stored, fields.isEmpty ? nil : .validation)
    }

    /// Returns the request for the rest of an incomplete response, or for all of it if it cannot be completed (RFC
    /// 9111, section 3.4).
    private func completion(of stored: StoredResponse) -> CacheForwarding {
        guard asksForWhole, stored.identity == identity, let validator = stored.validatorOfPart else {
            return forwarding(.partial)
        }
        var fields: HTTPHeaders = ["Range": "bytes=\(stored.bodyLength)-"]
        fields.add(HTTPHeaders.Field(name: "If-Range", text: validator.condition))
        // Offsets count the bytes of one coding, and a server may encode each response anew.
        if !request.headers.contains("Accept-Encoding") { fields.add("Accept-Encoding", "identity") }
        return forwarding(.partial, fields, stored, .completion(validator))
    }

    private func forwarding(
        _ reason: CacheStatus.ForwardReason, _ fields: HTTPHeaders, _ stored: StoredResponse?,
        _ condition: CacheCondition?
    ) -> CacheForwarding {
        var sent = request
        if request.cache.mode == .validated, !request.headers.contains("Cache-Control"),
            !request.headers.contains("Pragma")
        {
            // The caches on the way are to validate, too, as at a reload in browsers.
            sent.headers.set("Cache-Control", "max-age=0")
        }
        for field in fields { sent.headers.set(field) }
        return CacheForwarding(
            original: request, request: sent, reason: reason, stored: stored, condition: condition, identity: identity)
    }

    /// Whether the request asks for a whole response.
    private var asksForWhole: Bool { request.method == .get && !request.headers.contains("Range") }
}

extension StoredResponse {
    /// Returns the place of a range in the stored body; `nil` if its bytes are not those that the server has in mind,
    /// or if there are none.
    func bounds(of range: ByteRange) -> Range<Int64>? {
        guard status == .ok, !isDecoded else { return nil }
        return range.bounds(in: bodyLength)
    }
}
