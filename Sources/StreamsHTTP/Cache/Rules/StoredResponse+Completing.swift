extension StoredResponse {
    /// The validator by which a range can complete this part of a response (RFC 9111, section 3.3); `nil` if nothing of
    /// the body is stored, if the server counts other bytes, or if it has no ranges or no strong validator.
    var validatorOfPart: StrongValidator? {
        guard status == .ok, !isDecoded, bodyLength > 0, bodyLength < declaredLength ?? .max,
            headers["Accept-Ranges"]?.isEqualIgnoringASCIICase(to: "none") != true
        else { return nil }
        return StrongValidator(headers)
    }

    /// Returns whether this part of a response is worth storing in place of what is stored.
    func isWorthStoring(over former: StoredResponse?) -> Bool {
        guard validatorOfPart != nil else { return false }
        return former.map { !$0.isComplete && $0.bodyLength < bodyLength } ?? true
    }

    /// Returns the whole response with the fields of a 206 that contains the rest of the body (RFC 9111, section 3.4);
    /// `nil` if that contains anything else.
    ///
    /// - Parameters:
    ///   - head: The head of the partial response.
    ///   - validator: The validator of this part.
    ///   - request: The request of the program.
    ///   - requestTime: The time at which the request was sent, by the local clock.
    ///   - responseTime: The time at which the head was received, by the local clock.
    func completed(
        by head: HTTPResponse<Void>, _ validator: StrongValidator, for request: TransportRequest, requestTime: Date,
        responseTime: Date
    ) -> StoredResponse? {
        guard head.receivedHeaders.values(for: "Content-Encoding") == headers.values(for: "Content-Encoding"),
            let (bounds, total) = validator.continuation(in: head, at: bodyLength, of: declaredLength),
            bounds.upperBound == total - 1
        else { return nil }
        var newer = head.headers
        // It is the digest of the rest (RFC 9530, section 2).
        newer.remove("Content-Digest")
        var whole = updated(by: newer, for: request, requestTime: requestTime, responseTime: responseTime)
        (whole.bodyLength, whole.isComplete) = (total, true)
        return whole
    }

    /// The response before its body is stored.
    var withoutBody: StoredResponse {
        var response = self
        (response.bodyLength, response.isComplete) = (0, false)
        return response
    }

    private var declaredLength: Int64? {
        guard case .bytes(let length) = headers.contentLength else { return nil }
        return length
    }
}
