extension TransportRequest {
    /// Whether a transport offers content codings by itself. It offers none for a range: the server would take the range
    /// from the encoded bytes (RFC 9110, section 14.1.1), of which a part cannot be decoded.
    package var offersContentCodings: Bool { connection.decodesContent && !headers.contains("Range") }
}

extension HTTPResponse<Void> {
    /// Returns the names of the content codings that a transport decodes this response's body from, in the order in
    /// which they were applied.
    func decodedCodings(inAnswerTo request: TransportRequest) -> [Substring] {
        guard request.connection.decodesContent, status != .partialContent || !request.headers.contains("Range") else {
            return []
        }
        return ContentCoding.names(in: headers)
    }

    /// Returns this response without the fields that describe the encoded form of a body that a transport decodes.
    func describingDecodedBody(inAnswerTo request: TransportRequest) -> HTTPResponse {
        let hasBody = request.method != .head && status != .noContent && status != .notModified
        guard hasBody, ContentCoding.canDecode(decodedCodings(inAnswerTo: request)) else { return self }
        return removingFieldsOfCoding()
    }
}
