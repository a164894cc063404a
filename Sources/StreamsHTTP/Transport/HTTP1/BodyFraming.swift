/// The way in which the end of a response's content is found (RFC 9112, section 6.3).
enum BodyFraming: Equatable {
    /// There is no content, whatever the fields say.
    case none
    case length(Int64)
    case chunked
    /// The content ends with the connection.
    case untilClose

    init(of head: HTTPResponse<Void>, inAnswerTo method: HTTPMethod) throws(HTTPError.Reason) {
        guard head.hasContent(inAnswerTo: method) else {
            self = .none
            return
        }
        switch (try Self.isChunked(head.headers), head.headers.contentLength) {
        case (true, _): self = .chunked
        case (false, .bytes(let length)): self = .length(length)
        case (false, .undeclared): self = .untilClose
        case (false, .invalid): throw .transfer(.protocolError(.length))
        }
    }

    /// Returns whether the content has the transfer coding chunked. No other is ever requested (RFC 9112, section 7.4);
    /// `identity` and an empty field are remnants of RFC 2616 and change nothing.
    private static func isChunked(_ headers: HTTPHeaders) throws(HTTPError.Reason) -> Bool {
        let names = headers.listElements(of: "Transfer-Encoding")
        guard let last = names.last else { return false }
        let codings = names.filter { !$0.isEqualIgnoringASCIICase(to: "identity") }
        guard let first = codings.first else { return false }
        guard codings.count == 1, first.isEqualIgnoringASCIICase(to: "chunked") else {
            throw .transfer(.undecodableContent)
        }
        // A reader that looks at the last coding alone would read until the connection closes.
        guard last.isEqualIgnoringASCIICase(to: "chunked") else {
            throw .transfer(.protocolError(.transferCoding))
        }
        return true
    }
}

extension HTTPResponse<Void> {
    /// Returns whether the server keeps the connection open after the response to a method (RFC 9112, section 9.3).
    ///
    /// A framing that contradicts itself may be an attempt at smuggling, and what follows the response may be a body that
    /// it should not have. It is not trusted (RFC 9112, sections 6.1 and 6.3).
    func keepsConnection(inAnswerTo method: HTTPMethod) -> Bool {
        guard !hasContradictoryFraming(inAnswerTo: method), !headers.hasListElement("close", of: "Connection") else {
            return false
        }
        return version != .http10 || headers.hasListElement("keep-alive", of: "Connection")
    }

    /// Returns whether the framing of the response to a method contradicts itself.
    ///
    /// A response to HEAD and a 304 may have a transfer coding (RFC 9112, section 6.1). Some servers then send the last
    /// chunk, which could become the beginning of the next response.
    private func hasContradictoryFraming(inAnswerTo method: HTTPMethod) -> Bool {
        guard headers.contains("Transfer-Encoding") else { return status == .noContent && headers.declareContent }
        return !hasContent(inAnswerTo: method) || version == .http10 || headers.contains("Content-Length")
            || headers.hasCodingBesideChunked
    }
}

extension HTTPHeaders {
    /// Whether the fields declare content. A length of zero, which careless servers send with a 204, does not.
    var declareContent: Bool {
        switch contentLength {
        case .undeclared, .bytes(0): contains("Transfer-Encoding")
        case .bytes, .invalid: true
        }
    }

    /// Whether there is another transfer coding than chunked, or an empty list of them.
    var hasCodingBesideChunked: Bool {
        fields.contains {
            $0.name.isEqualIgnoringASCIICase(to: "Transfer-Encoding")
                && !$0.value.isEqualIgnoringASCIICase(to: "chunked")
        }
    }
}
