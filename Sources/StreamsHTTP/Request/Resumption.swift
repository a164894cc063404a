/// The state that resumes an interrupted download (RFC 9110, sections 13.1.5 and 14).
///
/// Only a body that is the same byte for byte can be resumed: one with a strong entity tag that was not decoded. The
/// parts must have the same tag and the same total length. The body is the whole representation or, if the request has a
/// range of its own, the part of it in the first response.
struct Resumption {
    /// The position of another response's body relative to the delivered part.
    enum Position {
        /// The body continues the delivered part.
        case continuation
        /// The body is the whole body again.
        case start
        /// The body is another body, or not the requested range.
        case mismatch
    }

    /// The head of the first response.
    let head: HTTPResponse<Void>
    private let entityTag: String
    /// The range that the first response contains; `nil` if it contains the whole representation.
    private let part: ContentRange?
    /// The length of the whole representation; `nil` if no response has declared it yet.
    private var total: Int64?
    /// The failure that interrupted the previous attempt.
    var failure = TransportFailure(.transfer(.bodyEndedEarly))

    /// - Returns: `nil` if the download cannot be resumed.
    init?(of head: HTTPResponse<Void>, to request: TransportRequest) {
        guard request.method == .get, request.headers["Range"]?.isSingleByteRange ?? true,
            !head.receivedHeaders.contains("Content-Encoding"), head.headers["Accept-Ranges"] != "none",
            let entityTag = head.headers.unanimousValue(for: "ETag"), entityTag.isStrongEntityTag
        else { return nil }
        self.head = head
        self.entityTag = entityTag
        switch head.status {
        case .ok:
            part = nil
            total = head.declaredLength
        case .partialContent where request.headers.contains("Range"):
            guard let range = ContentRange(of: head), range.bounds != nil else { return nil }
            part = range
            total = range.total
        default: return nil
        }
    }

    /// The offset of the body's first byte in the representation.
    private var start: Int64 { part?.bounds?.lowerBound ?? 0 }

    /// Returns the offset in the representation of the first byte that is missing; `nil` if there is no such offset.
    private func missingOffset(after delivered: Int) -> Int64? {
        let (offset, isTooLarge) = start.addingReportingOverflow(Int64(delivered))
        return isTooLarge ? nil : offset
    }

    /// The length of the body; `nil` if no response has declared it yet.
    var length: Int64? { part?.bounds.map { $0.upperBound - $0.lowerBound + 1 } ?? total }

    /// Returns the request for the missing range, on the condition that the body has not changed.
    func continuing(_ request: TransportRequest, after delivered: Int) -> TransportRequest {
        guard delivered > 0, let first = missingOffset(after: delivered) else { return request }
        var request = request
        // After the whole range, an open range shows whether the representation ends there.
        let last = part?.bounds.flatMap { $0.upperBound < first ? nil : "\($0.upperBound)" } ?? ""
        request.headers.set("Range", "bytes=\(first)-\(last)")
        request.headers.set("If-Range", entityTag)
        // A range counts encoded bytes, not decoded ones.
        request.connection.decodesContent = false
        return request
    }

    /// Returns the position of a response's body, and keeps the total length that the response declares.
    mutating func position(of head: HTTPResponse<Void>, after delivered: Int) -> Position {
        guard !head.headers.contains("Content-Encoding"), head.headers.unanimousValue(for: "ETag") == entityTag else {
            return .mismatch
        }
        switch head.status {
        case .partialContent:
            guard let range = ContentRange(of: head), let bounds = range.bounds,
                bounds.lowerBound == missingOffset(after: delivered), range.total == total ?? range.total,
                bounds.upperBound <= part?.bounds?.upperBound ?? .max
            else { return .mismatch }
            total = range.total
            return .continuation
        case .ok:
            // The whole representation does not begin with the delivered part of a range.
            guard part == nil else { return .mismatch }
            guard let length = head.declaredLength else { return .start }
            return length == total ?? length ? .start : .mismatch
        default:
            return .mismatch
        }
    }

    /// Returns whether a response means that the delivered part is the whole body: there is no range after it, and it
    /// has the total length (RFC 9110, section 15.5.17). A server whose body has changed ignores the range instead.
    func isComplete(by head: HTTPResponse<Void>, after delivered: Int) -> Bool {
        guard delivered > 0, head.status == .rangeNotSatisfiable,
            head.headers.values(for: "ETag").allSatisfy({ $0 == entityTag }),
            let range = ContentRange(of: head), range.bounds == nil
        else { return false }
        return range.total == missingOffset(after: delivered) && total ?? range.total == range.total
    }
}

extension String {
    /// Whether this is a `Range` of one range of bytes (RFC 9110, section 14.1.2).
    fileprivate var isSingleByteRange: Bool {
        guard hasBytesUnit(before: "=") else { return false }
        let ends = dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let last = ends[1].isEmpty ? Int64.max : ends[1].decimalNumber else { return false }
        // Without a first byte, the number is the length of the end of the body.
        guard !ends[0].isEmpty else { return !ends[1].isEmpty }
        return ends[0].decimalNumber.map { $0 <= last } ?? false
    }
}
