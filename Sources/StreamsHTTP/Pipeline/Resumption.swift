/// What it takes to continue a download that breaks off (RFC 9110, sections 13.1.5 and 14).
///
/// Only a body that is the same byte for byte can be continued: one with a strong entity tag, that nobody has decoded.
struct Resumption {
    /// Where the body of another response belongs.
    enum Place {
        /// Right behind what has been delivered.
        case behind
        /// It is the whole once more.
        case start
        /// It is not of the same body, or not the part of it that was asked for.
        case elsewhere
    }

    private let entityTag: String
    /// Why the attempt before broke off.
    var failure = TransportFailure(.transfer(.bodyEndedEarly))

    /// - Returns: `nil` where the body could not be continued.
    init?(of head: HTTPResponse<Void>, to request: TransportRequest) {
        guard request.method == .get, !request.headers.contains("Range"), head.status == .ok,
            !head.headers.contains("Content-Encoding"), head.headers["Accept-Ranges"] != "none",
            let entityTag = head.headers["ETag"], entityTag.hasPrefix("\"")
        else { return nil }
        self.entityTag = entityTag
    }

    /// The request for what is missing, as long as the rest is what it was.
    func continuing(_ request: TransportRequest, after delivered: Int) -> TransportRequest {
        guard delivered > 0 else { return request }
        var request = request
        request.headers.set("Range", "bytes=\(delivered)-")
        request.headers.set("If-Range", entityTag)
        // A decoded body's bytes are counted otherwise than those of the range.
        request.connection.decodesContent = false
        return request
    }

    func place(of head: HTTPResponse<Void>, after delivered: Int) -> Place {
        guard !head.headers.contains("Content-Encoding") else { return .elsewhere }
        let tag = head.headers["ETag"]
        switch head.status {
        case .partialContent:
            let begins = head.headers["Content-Range"]?.hasPrefix("bytes \(delivered)-") == true
            return begins && (tag == nil || tag == entityTag) ? .behind : .elsewhere
        case .ok:
            return tag == entityTag ? .start : .elsewhere
        default:
            return .elsewhere
        }
    }
}
