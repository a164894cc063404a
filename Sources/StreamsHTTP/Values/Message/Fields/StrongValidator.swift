/// A strong validator of a representation (RFC 9110, section 8.8.1), for `If-Range`.
enum StrongValidator: Hashable, Sendable {
    case entityTag(FieldText)
    case lastModified(FieldText)

    /// The time by which the date of a response has to be later than its modification, in seconds: then no second
    /// modification can have followed in the same second, even if two clocks differ (RFC 9110, section 8.8.2.2).
    private static let minimumAge = 60.0

    /// - Returns: `nil` if the response has no strong validator.
    init?(_ headers: HTTPHeaders) {
        // A date takes the place of a tag only if there is none (RFC 9110, section 13.1.5). A value outside the grammar,
        // such as one without quotation marks, is none.
        if headers.texts(for: "ETag").contains(where: \.isEntityTag) {
            guard let entityTag = headers.unanimousValue(for: "ETag"), entityTag.isStrongEntityTag else {
                return nil
            }
            self = .entityTag(entityTag)
            return
        }
        // Unlike a tag, the date is common to all codings of the content.
        guard !headers.contains("Content-Encoding"),
            let text = headers.unanimousValue(for: "Last-Modified"), text.isReturnable,
            let modification = HTTPDate(text.string)?.date,
            let date = headers["Date"].flatMap(HTTPDate.init)?.date,
            date.timeIntervalSince(modification) >= Self.minimumAge
        else { return nil }
        self = .lastModified(text)
    }

    /// The value of `If-Range`.
    var condition: FieldText {
        switch self {
        case .entityTag(let text), .lastModified(let text): text
        }
    }

    /// Whether the value can be sent: a record may have been changed.
    var isWellFormed: Bool {
        switch self {
        case .entityTag(let tag): tag.isStrongEntityTag
        case .lastModified(let text): HTTPDate(text.string) != nil && text.isReturnable
        }
    }

    /// Whether a response to the condition may be of the same representation. A partial response has the same entity
    /// tag (RFC 9110, section 15.3.7), and the response to an unsatisfiable range need not have any.
    func allows(_ head: HTTPResponse<Void>) -> Bool {
        switch self {
        case .entityTag(let tag):
            head.headers.texts(for: "ETag").allSatisfy { $0 == tag }
                && (head.headers.contains("ETag") || head.status == .rangeNotSatisfiable)
        case .lastModified(let text):
            head.headers.texts(for: "Last-Modified").allSatisfy { $0 == text }
                && !head.headers.contains("Content-Encoding")
        }
    }

    /// Returns the part of the representation that a response contains, and the representation's length; `nil` if the
    /// response does not continue the representation.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - offset: The offset of the first byte that was requested.
    ///   - total: The length of the representation, if it is known.
    func continuation(
        in head: HTTPResponse<Void>, at offset: Int64, of total: Int64?
    ) -> (bounds: ClosedRange<Int64>, total: Int64)? {
        guard allows(head), let range = ContentRange(of: head), let bounds = range.bounds, bounds.lowerBound == offset,
            let length = range.total, length == total ?? length,
            head.declaredLength ?? Int64(bounds.count) == Int64(bounds.count)
        else { return nil }
        return (bounds, length)
    }

    /// Whether a whole response has this validator.
    func isValidator(of head: HTTPResponse<Void>) -> Bool { StrongValidator(head.headers) == self }
}

extension FieldText {
    /// Whether this is an entity tag that is not weak, and that can be sent back.
    fileprivate var isStrongEntityTag: Bool { isReturnable && Self.isOpaqueTag(bytes[...]) }

    /// Whether this is an entity tag, weak or strong (RFC 9110, section 8.8.3).
    fileprivate var isEntityTag: Bool {
        let bytes = bytes
        return Self.isOpaqueTag(bytes.starts(with: "W/".utf8) ? bytes.dropFirst(2) : bytes[...])
    }

    private static func isOpaqueTag(_ bytes: ArraySlice<UInt8>) -> Bool {
        let mark = UInt8(ascii: "\"")
        return bytes.count >= 2 && bytes.first == mark && bytes.last == mark
            && bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != mark }
    }
}
