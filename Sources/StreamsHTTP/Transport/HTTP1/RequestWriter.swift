/// The bytes of a request by HTTP/1.1, in order: the head, and the content in its framing (RFC 9112, sections 6 and 7).
struct RequestWriter {
    /// The most that the framing of a chunk takes: sixteen digits and two line breaks.
    private static let chunkOverhead = 20

    /// The head, until it has been written.
    private var head: [UInt8]
    /// The size of the head.
    let headSize: Int
    /// The number of bytes of the head that have been written.
    private var headCount = 0
    private let isChunked: Bool
    private let isUpgrade: Bool
    private var isContentOver: Bool

    /// Creates the bytes of a request, whose content has been opened.
    init(_ request: TransportRequest, _ upload: BodyUpload, form: RequestHead.TargetForm) {
        isContentOver = !upload.isPresent
        isUpgrade = request.isUpgrade
        isChunked = upload.isPresent && upload.length == nil && !request.isUpgrade
        let framing = request.framingField(hasBody: upload.isPresent, length: upload.length)
        head = RequestHead(request: request, form: form, framing: framing).bytes
        headSize = head.count
    }

    /// Whether all bytes have been written.
    var isOver: Bool { headCount == headSize && isContentOver }

    /// Writes the next bytes.
    ///
    /// - Parameters:
    ///   - upload: The content.
    ///   - isHeld: Whether the content is not written yet.
    ///   - buffer: Memory with room for more than the framing of a chunk.
    mutating func write(
        _ upload: inout BodyUpload, isHeld: Bool, to buffer: UnsafeMutableRawBufferPointer
    ) -> HTTPBody.ReadResult {
        var count = writeHead(to: buffer)
        while !isContentOver, !isHeld, buffer.count - count > Self.chunkOverhead {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let result = isChunked ? writeChunk(of: &upload, to: rest) : Self.writeContent(of: &upload, to: rest)
            switch result {
            case .bytes(let size):
                count += size
                // The next read says that these have been sent.
                if isUpgrade { return .bytes(count) }
            case .waiting: return count > 0 ? .bytes(count) : .waiting
            case .end: isContentOver = true
            case .failed: return result
            }
        }
        guard count == 0 else { return .bytes(count) }
        return isOver ? .end : .waiting
    }

    private mutating func writeHead(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, headSize - headCount)
        guard count > 0 else { return 0 }
        buffer.copyBytes(from: head[headCount..<(headCount + count)])
        headCount += count
        if headCount == headSize { head = [] }
        return count
    }

    private static func writeContent(
        of upload: inout BodyUpload, to buffer: UnsafeMutableRawBufferPointer
    ) -> HTTPBody.ReadResult {
        guard !upload.isOver else { return .end }
        return upload.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(upload.remaining)))
    }

    /// Writes a chunk, or the last one, which is empty.
    private mutating func writeChunk(
        of upload: inout BodyUpload, to buffer: UnsafeMutableRawBufferPointer
    ) -> HTTPBody.ReadResult {
        let room = buffer[(Self.chunkOverhead - 2)..<(buffer.count - 2)]
        let result = upload.read(into: UnsafeMutableRawBufferPointer(rebasing: room))
        switch result {
        case .bytes(let count):
            let line = Array("\(String(count, radix: 16))\r\n".utf8)
            let chunk = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(buffer)[room.startIndex...].prefix(count))
            // The places overlap, and the line is before the chunk's.
            buffer.copyBytes(from: line)
            UnsafeMutableRawBufferPointer(rebasing: buffer[line.count...]).copyMemory(from: chunk)
            UnsafeMutableRawBufferPointer(rebasing: buffer[(line.count + count)...]).copyBytes(from: "\r\n".utf8)
            return .bytes(line.count + count + 2)
        case .end:
            buffer.copyBytes(from: "0\r\n\r\n".utf8)
            isContentOver = true
            return .bytes(5)
        case .waiting, .failed:
            return result
        }
    }
}

/// The head of a request by HTTP/1.1 (RFC 9112, sections 3 and 5).
struct RequestHead {
    /// The form of the request's target (RFC 9112, section 3.2).
    enum TargetForm: Hashable {
        /// For the server itself, or through a tunnel.
        case origin
        /// For a proxy, with the value of `Proxy-Authorization`, if there is one.
        case absolute(authorization: String?)
    }

    let request: TransportRequest
    let form: TargetForm
    /// The field from which the server finds the end of the content, if it needs one.
    let framing: HTTPHeaders.Field?

    /// The head as it is sent.
    var bytes: [UInt8] {
        let url = request.lazyURL
        let codings = request.offeredCodings
        let authorization = proxyAuthorization
        var size = request.method.rawValue.utf8.count + 2 * url.text.utf8.count + 192
        size += (codings?.utf8.count ?? 0) + (authorization?.utf8.count ?? 0)
        for field in request.headers.fields { size += field.name.utf8.count + field.value.utf8.count + 4 }
        return [UInt8](maxCount: size) { writer in
            writeRequestLine(url, to: &writer)
            if !request.headers.contains("Host") { writer.append("Host", url.host) }
            for field in request.headers.fields { writer.append(field) }
            if let codings { writer.append("Accept-Encoding", codings) }
            if let authorization { writer.append("Proxy-Authorization", authorization) }
            if let framing { writer.append(framing) }
            writer.append("\r\n")
        }
    }

    private var proxyAuthorization: String? {
        guard case .absolute(let authorization) = form, !request.headers.contains("Proxy-Authorization") else {
            return nil
        }
        return authorization
    }

    private func writeRequestLine(_ url: LazyURL, to writer: inout ByteWriter) {
        writer.append(request.method.rawValue)
        writer.append(" ")
        if form != .origin { writer.append(url.base) }
        let target = url.pathAndQuery
        if target.utf8.first != UInt8(ascii: "/") { writer.append("/") }
        writer.append(target)
        writer.append(" HTTP/1.1\r\n")
    }
}

extension ByteWriter {
    /// Appends a field line.
    fileprivate mutating func append(_ field: HTTPHeaders.Field) {
        append(field.name)
        append(": ")
        append(field.text)
        append("\r\n")
    }

    /// Appends a field line.
    fileprivate mutating func append(_ name: String, _ value: some StringProtocol) {
        append(name)
        append(": ")
        append(value)
        append("\r\n")
    }
}

extension TransportRequest {
    /// The value of the `Accept-Encoding` that a transport adds; `nil` if it adds none.
    var offeredCodings: String? {
        offersContentCodings && !headers.contains("Accept-Encoding") ? ContentCoding.accepted : nil
    }

    /// Returns the field from which the server finds the end of the content (RFC 9112, section 6.3); `nil` if it needs
    /// none.
    ///
    /// - Parameter length: The length of the content; `nil` if it is unknown, or without content.
    func framingField(hasBody: Bool, length: Int64?) -> HTTPHeaders.Field? {
        guard !isUpgrade else { return nil }
        if let length { return HTTPHeaders.Field(name: "Content-Length", value: "\(length)") }
        if hasBody { return HTTPHeaders.Field(name: "Transfer-Encoding", value: "chunked") }
        return method.anticipatesBody ? HTTPHeaders.Field(name: "Content-Length", value: "0") : nil
    }

    /// Returns the request line without secrets, for logs. Its version is HTTP/2 if the options ask for it, whatever the
    /// server chooses then.
    package func requestLine(_ redaction: Redaction) -> String {
        let version = connection.protocolPolicy == .http2 && !isUpgrade ? "2" : "1.1"
        let target = LazyURL(redaction.redacting(url: lazyURL.text)).pathAndQuery
        return "\(method) \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/\(version)"
    }

    /// The fields that the transport adds to ``headers`` by HTTP/1.1, without those for a proxy. For logs.
    package var addedFields: HTTPHeaders {
        var added = HTTPHeaders()
        if !headers.contains("Host") { added.add("Host", String(lazyURL.host)) }
        if let offeredCodings { added.add("Accept-Encoding", offeredCodings) }
        // A file that cannot be read fails the request.
        let length = body.isEmpty ? nil : (try? body.content.measuredLength())
        if let field = framingField(hasBody: !body.isEmpty, length: length) { added.add(field) }
        return added
    }
}

extension HTTPMethod {
    /// Whether a request without content should have a Content-Length of zero (RFC 9110, section 8.6).
    var anticipatesBody: Bool {
        self == .post || self == .put || self == .patch || self == .query
    }
}
