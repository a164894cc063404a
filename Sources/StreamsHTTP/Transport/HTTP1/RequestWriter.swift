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
    /// The wait of the content for 100 (Continue) or 101 (Switching Protocols).
    var continueWait: ContinueWait
    /// The content.
    var upload: BodyUpload

    /// Creates the bytes of a request, whose content has been opened.
    init(_ request: TransportRequest, _ upload: BodyUpload, form: RequestHead.TargetForm, now: MonotonicTime) {
        self.upload = upload
        isContentOver = !upload.isPresent
        isUpgrade = request.isUpgrade
        isChunked = upload.isPresent && upload.length == nil && !request.isUpgrade
        let framing = request.framingField(hasBody: upload.isPresent, length: upload.length)
        head = RequestHead(request: request, form: form, framing: framing).bytes
        headSize = head.count
        continueWait = ContinueWait(request, hasContent: upload.isPresent, now: now)
    }

    /// Whether all bytes have been written.
    var isOver: Bool { headCount == headSize && isContentOver }

    /// Writes the next bytes.
    ///
    /// - Parameter buffer: Memory with room for more than the framing of a chunk.
    mutating func write(to buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        var count = writeHead(to: buffer)
        while !isContentOver, !continueWait.isHolding, buffer.count - count > Self.chunkOverhead {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let result = isChunked ? writeChunk(to: rest) : writeContent(to: rest)
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

    private mutating func writeContent(to buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        guard !upload.isOver else { return .end }
        return upload.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(upload.remaining)))
    }

    /// Writes a chunk, or the last one, which is empty.
    private mutating func writeChunk(to buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
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
