extension CacheForwarding {
    /// The statuses that count as a failure of the server (RFC 5861, section 4).
    private static let failureStatuses: Set<HTTPStatus> = [500, 502, 503, 504]

    /// The errors by which a server tells that there is no such resource any more.
    private static let absenceStatuses: Set<HTTPStatus> = [404, 410]

    /// Returns the use of the response to ``request``.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - requestTime: The time at which the request was sent, by the local clock.
    ///   - responseTime: The time at which the head was received, by the local clock.
    func result(of head: HTTPResponse<Void>, requestTime: Date, responseTime: Date) -> CacheResult {
        var status = CacheStatus(forwardedFor: reason)
        status.forwardStatus = head.status
        switch (condition, head.status, stored) {
        case (.validation, .notModified, let stored?):
            let updated = stored.updated(
                by: head.headers, for: original, requestTime: requestTime, responseTime: responseTime)
            guard stored.isValidated(by: head), let serving = serving(updated, status, at: responseTime) else {
                return .resend(withoutCondition)
            }
            // The server may have decided that the response is not to be stored any longer.
            return .serve(serving, updated.isStorable ? .update(updated) : .remove)
        case (.completion(let validator), .partialContent, let stored?):
            let whole = stored.completed(
                by: head, validator, for: original, requestTime: requestTime, responseTime: responseTime)
            guard let whole else { return .resend(withoutCondition) }
            status.timeToLive = whole.timeToLive(at: responseTime)
            status.isStored = whole.isStorable
            let serving = CacheServing(stored: whole, age: whole.age(at: responseTime), range: nil, status: status)
            return .complete(serving, whole.isStorable ? .store(whole.withoutBody) : .remove)
        case (.completion, .rangeNotSatisfiable, _?): return .resend(withoutCondition)
        default: break
        }
        if Self.failureStatuses.contains(head.status), let serving = fallback(status, at: responseTime) {
            return .serve(serving, .none)
        }
        let change = change(by: head, requestTime: requestTime, responseTime: responseTime)
        if case .store = change { status.isStored = true }
        return .deliver(change, status)
    }

    /// Returns the use of a stored response after a failure of the exchange; `nil` if there is none that may be used
    /// (RFC 5861, section 4).
    func fallback(after reason: HTTPError.Reason, at now: Date) -> CacheServing? {
        guard reason.isServerFailure else { return nil }
        return fallback(CacheStatus(forwardedFor: self.reason), at: now)
    }

    private func fallback(_ status: CacheStatus, at now: Date) -> CacheServing? {
        guard let stored, stored.isComplete else { return nil }
        let control = stored.control
        let limits = [
            control.staleIfError, CacheControl(request: original.headers).staleIfError, original.cache.staleIfError,
        ].compactMap(\.self)
        let staleness = Duration.zero - stored.timeToLive(at: now)
        guard let limit = limits.max(), staleness <= limit, !control.isNoCache,
            !control.mustRevalidate || staleness < .zero
        else { return nil }
        return serving(stored, status, at: now)
    }

    /// Returns the use of a stored response; `nil` if the range that the request asks for cannot be taken from it.
    private func serving(_ stored: StoredResponse, _ status: CacheStatus, at now: Date) -> CacheServing? {
        var bounds: Range<Int64>?
        if let range = ByteRange(of: original) {
            bounds = stored.bounds(of: range)
            guard bounds != nil else { return nil }
        }
        var status = status
        status.isStoredResponse = true
        status.timeToLive = stored.timeToLive(at: now)
        return CacheServing(stored: stored, age: stored.age(at: now), range: bounds, status: status)
    }

    /// The request again, without the condition of the cache.
    private var withoutCondition: CacheForwarding {
        var request = request
        for name in condition?.fieldNames ?? [] where !original.headers.contains(name) { request.headers.remove(name) }
        return CacheForwarding(
            original: original, request: request, reason: reason, stored: nil, condition: nil, identity: identity)
    }

    private func change(by head: HTTPResponse<Void>, requestTime: Date, responseTime: Date) -> CacheChange {
        if original.method == .head {
            guard let stored, stored.isComplete, head.status.isSuccess || Self.absenceStatuses.contains(head.status)
            else { return .none }
            guard stored.isDescribed(by: head) else { return .remove }
            let updated = stored.updated(
                by: head.headers, for: original, requestTime: requestTime, responseTime: responseTime)
            return updated.isStorable ? .update(updated) : .remove
        }
        let response = StoredResponse(
            storing: head, for: original, identity: identity, requestTime: requestTime, responseTime: responseTime)
        if let response { return .store(response) }
        // Another response than the stored one has come, so that is outdated. A part and most errors do not tell.
        let isNewer =
            head.status.isSuccess && head.status != .partialContent
            || head.status.isRedirection && head.status != .notModified || Self.absenceStatuses.contains(head.status)
        return stored != nil && isNewer ? .remove : .none
    }
}

extension HTTPError.Reason {
    /// Whether the server, or the way to it, has failed, so that a stored response may be used (RFC 5861, section 4).
    ///
    /// A server that is not the one it claims to be has not failed, and neither have a limit of the client and a
    /// request that cannot be sent.
    var isServerFailure: Bool {
        switch self {
        case .connection(.untrustedCertificate), .connection(.publicKeyNotPinned), .connection(.trustRoots),
            .connection(.addressNotAllowed), .connection(.resourceExhausted), .connection(.rateLimited):
            false
        case .connection: true
        case .timeout(.connect), .timeout(.idle), .timeout(.minimumRate): true
        case .transfer(.bodyTooLarge), .transfer(.headTooLarge), .transfer(.elementTooLarge): false
        case .transfer: true
        case .invalidRequest, .timeout, .webSocket, .redirect, .status, .decoding, .authorization, .thrown,
            .cancelled:
            false
        }
    }
}
