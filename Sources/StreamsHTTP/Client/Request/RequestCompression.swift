extension TransportRequest {
    /// Returns this request with its body compressed and a `Content-Encoding`, if the body or the option asks for it.
    ///
    /// - Parameter option: The compression of bodies that are likely to become smaller; `nil` for none.
    func compressingBody(by option: HTTPBody.Compression?) throws(HTTPError.Reason) -> TransportRequest {
        guard !body.isEmpty else { return self }
        var request = self
        do throws(HTTPBody.Failure) {
            if body.contentEncoding != nil {
                guard ContentCoding.names(in: headers).isEmpty else { throw .alreadyEncoded }
                request.body = try body.compressedAtOnce()
            } else if let option, mayBecomeSmaller {
                request.body = try body.compressed(option).compressedAtOnce()
                if let before = body.length, let after = request.body.length, after >= before { return self }
            } else {
                return self
            }
        } catch {
            throw .thrown(error, by: .body)
        }
        if let encoding = request.body.contentEncoding { request.headers.set("Content-Encoding", encoding) }
        return request
    }

    /// Returns this request, adapted by interceptors, with the `Content-Encoding` of a compressed body that one of them
    /// has set. A field that is there describes the body as it was planned.
    func describingCompression() throws(HTTPError.Reason) -> TransportRequest {
        headers.contains("Content-Encoding") ? self : try compressingBody(by: nil)
    }

    /// The size from which a body without a request to do so is compressed. The field alone takes 24 bytes.
    private static let minSize: Int64 = 256

    /// The fields of a body that is encoded already, or that describe the bytes without a coding: their place
    /// (RFC 9110, section 14.4) or their digest (RFC 9530).
    private static let fieldsOfContent = [
        "Content-Encoding", "Content-Range", "Content-Digest", "Repr-Digest", "Digest", "Content-MD5",
    ]

    /// Whether the body is likely to become smaller by a compression, and may be compressed.
    private var mayBecomeSmaller: Bool {
        HTTPBody.Compression.isSupported && !isUpgrade && (body.length ?? .max) >= Self.minSize
            && headers["Content-Type"].map { MediaType($0).isText } == true
            && !Self.fieldsOfContent.contains { headers.contains($0) }
    }
}
