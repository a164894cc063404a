@testable import StreamsHTTP

/// The frames of HTTP/2 are read the same however the bytes are split, and none is larger than the limit.
func fuzzHTTP2Frames(_ input: inout Input) {
    let size = Int(input.byte()) + 1
    let bytes = input.remainder()
    let whole = outcome(bytes, inPartsOf: max(bytes.count, 1))
    for size in [1, size] {
        expectEqual(outcome(bytes, inPartsOf: size), whole, "the result depends on parts of \(size)")
    }
}

private struct FrameOutcome: Equatable {
    /// The frames, with the bytes of their contents.
    var frames: [String] = []
    var error: HTTP2Error?
}

private func outcome(_ bytes: [UInt8], inPartsOf size: Int) -> FrameOutcome {
    var reader = HTTP2FrameReader()
    var outcome = FrameOutcome()
    var buffer: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
        buffer += bytes[start...].prefix(size)
        let count = buffer.withUnsafeBytes { buffer in
            var input = buffer
            do throws(HTTP2Error) {
                while let frame = try reader.next(&input) { outcome.frames.append(text(of: frame)) }
            } catch {
                outcome.error = error
            }
            return buffer.count - input.count
        }
        if outcome.error != nil { break }
        buffer.removeFirst(count)
        expect(buffer.count < HTTP2FrameReader.headerSize + HTTP2FrameReader.maxPayloadSize, "a frame is not read")
    }
    return outcome
}

/// Returns a frame as text. The bytes that it refers to are valid only until more are read.
private func text(of frame: HTTP2Frame) -> String {
    switch frame {
    case .data(let stream, let content, let size, let isLast):
        expect(content.count <= size, "the content is larger than the frame")
        return "data \(stream) \(Array(content)) \(size) \(isLast)"
    case .headers(let stream, let block, let endsBlock, let isLast):
        return "headers \(stream) \(Array(block)) \(endsBlock) \(isLast)"
    case .continuation(let stream, let block, let endsBlock):
        return "continuation \(stream) \(Array(block)) \(endsBlock)"
    default: return "\(frame)"
    }
}
