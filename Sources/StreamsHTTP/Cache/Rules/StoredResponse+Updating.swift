extension StoredResponse {
    /// The fields that describe the stored bytes, which no other response changes (RFC 9111, section 3.2).
    private static let fixedNames: Set<String> = ["content-encoding", "content-length", "content-range"]

    /// Returns whether a 304 (Not Modified) is about this response (RFC 9111, section 4.3.4). A server that sends no
    /// validator is taken to mean the one that it received. Entity tags are compared weakly: some servers mark a tag as
    /// weak in one of the two.
    func isValidated(by head: HTTPResponse<Void>) -> Bool {
        if head.headers.contains("ETag") {
            guard let tag = entityTag else { return false }
            return head.headers.unanimousValue(for: "ETag")?.withoutWeakness == tag.withoutWeakness
        }
        guard entityTag == nil, head.headers.contains("Last-Modified"),
            let modification = headers.date(of: "Last-Modified")
        else { return true }
        return head.headers.date(of: "Last-Modified") == modification
    }

    /// Returns the response with the fields of a 304 (RFC 9111, sections 3.2 and 4.3.4) or of the response to a HEAD
    /// (section 4.3.5), from which it is fresh again.
    ///
    /// - Parameters:
    ///   - newer: The fields of the newer response.
    ///   - request: The request that it answers.
    ///   - requestTime: The time at which the request was sent, by the local clock.
    ///   - responseTime: The time at which the head was received, by the local clock.
    func updated(
        by newer: HTTPHeaders, for request: TransportRequest, requestTime: Date, responseTime: Date
    ) -> StoredResponse {
        var updated = self
        // The age of the stored response is told by the newer one alone, even if that has neither field.
        let added = newer.removingUnstoredFields(CacheControl(response: newer))
            .filter { !Self.fixedNames.contains($0.name.lowercased()) }
        let replaced = Set(added.map { $0.name.lowercased() }).union(["age", "date"])
        var merged = HTTPHeaders(headers.filter { !replaced.contains($0.name.lowercased()) })
        merged.append(contentsOf: HTTPHeaders(added))
        // A `no-cache` with names in the newer response is about the fields of the stored one, too.
        updated.headers = merged.removingUnstoredFields(CacheControl(response: merged))
        updated.requestTime = requestTime
        updated.responseTime = responseTime
        if let names = updated.headers.selectingNames, !names.isEmpty {
            updated.selectingFields = names.map { SelectingField($0, in: request.headers) }
        }
        return updated
    }

    /// Whether the response may be stored, by its own fields.
    var isStorable: Bool { Self.allowsStoring(control, status) && headers.selectingNames != nil }

    /// Returns whether the response to a HEAD describes this stored response (RFC 9111, section 4.3.5).
    func isDescribed(by head: HTTPResponse<Void>) -> Bool {
        guard head.status == status else { return false }
        for name in ["ETag", "Last-Modified"] {
            guard let text = head.headers.unanimousValue(for: name) else { continue }
            guard headers.unanimousValue(for: name) == text else { return false }
        }
        guard !isDecoded, let length = head.declaredLength else { return true }
        return length == bodyLength
    }
}

extension FieldText {
    /// An entity tag without the mark of a weak one (RFC 9110, section 8.8.3).
    fileprivate var withoutWeakness: FieldText {
        string.hasPrefix("W/") ? map { String($0.dropFirst(2)) } : self
    }
}
