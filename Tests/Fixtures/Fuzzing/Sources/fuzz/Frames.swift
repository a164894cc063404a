import Foundation

@testable import StreamsHTTP

/// The frames of a server are read the same however the bytes are split, within the limit, with and without compression;
/// and a message that is compressed is decompressed to the same.
func fuzzFrames(_ input: inout Input) {
    let (kind, size, limit) = (input.byte(), Int(input.byte()) + 1, Int(input.byte()) * 16)
    let bytes = Data(input.remainder())
    guard kind % 4 < 3 else { return expectDecompressed(bytes) }
    let whole = outcome(bytes, inPartsOf: max(bytes.count, 1), limit: limit, isCompressed: kind % 4 > 0)
    for size in [1, size] {
        let parts = outcome(bytes, inPartsOf: size, limit: limit, isCompressed: kind % 4 > 0)
        // A wrong text is refused at its first wrong byte, which may be before the end of a frame that is too large.
        expectEqual(parts, whole, "the result depends on parts of \(size)")
    }
    for case .message(let message) in whole.items {
        let count =
            switch message {
            case .text(let text): text.utf8.count
            case .binary(let data): data.count
            }
        expect(count <= limit, "a message is larger than the limit")
    }
}

private struct FrameOutcome: Equatable {
    var items: [FrameReader.Item] = []
    var violation: WebSocketViolation?
}

private func outcome(_ bytes: Data, inPartsOf size: Int, limit: Int, isCompressed: Bool) -> FrameOutcome {
    var reader = FrameReader(
        maxMessageSize: limit, inflater: isCompressed ? MessageInflater(isReset: false) : nil)
    var outcome = FrameOutcome()
    for start in stride(from: 0, to: bytes.count, by: size) {
        let part = Array(bytes.dropFirst(start).prefix(size))
        part.withUnsafeBytes { part in
            var input = part
            do throws(WebSocketViolation) {
                while let item = try reader.next(&input) { outcome.items.append(item) }
                expect(input.isEmpty, "input was left")
            } catch {
                outcome.violation = error
            }
        }
        if outcome.violation != nil { break }
    }
    return outcome
}

private func expectDecompressed(_ content: Data) {
    guard let compressed = MessageDeflater(windowBits: 9)?.deflate(content),
        let inflater = MessageInflater(isReset: true)
    else { return }
    var decompressed = Data()
    do {
        try compressed.withUnsafeBytes { bytes in
            try inflater.inflate(bytes) { decompressed.append(contentsOf: $0) }
        }
        try inflater.endMessage { decompressed.append(contentsOf: $0) }
    } catch {
        expect(false, "what was compressed is not decompressed: \(error)")
    }
    expectEqual(decompressed, content, "the content has changed")
}
