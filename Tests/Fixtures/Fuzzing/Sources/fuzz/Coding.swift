@testable import StreamsHTTP

private let codings = [
    ["gzip"], ["deflate"], ["br"], ["zstd"], ["gzip", "deflate"], ["deflate", "gzip"], ["br", "gzip"], ["zstd", "br"],
]
/// The number of decoded bytes after which a decoder is stopped, as a client stops it.
private let limit = 1 << 20

/// Content is decoded to the same bytes, with the same end, or refused, however it is split into reads and pieces. What
/// was encoded is decoded to what it was, is complete with its last byte, and ignores what follows.
func fuzzCoding(_ input: inout Input) {
    let kind = input.byte()
    let names = codings[Int(kind & 0x7F) % codings.count]
    let (part, piece) = (Int(input.byte()) + 1, Int(input.byte()) + 1)
    let bytes = input.remainder()
    guard (try? decoder(names)) != nil else { return }
    if kind & 0x80 == 0 {
        _ = outcome(of: bytes, names, part: part, piece: piece)
    } else {
        let encoded = names.reduce(bytes) { encode($0, as: $1) }
        let whole = Outcome.content(bytes, isComplete: true)
        expectEqual(outcome(of: encoded, names, part: part, piece: piece), whole, "what was encoded")
        let followed = encoded + [0] + bytes
        expectEqual(outcome(of: followed, names, part: part, piece: piece), whole, "what was encoded, and other bytes")
        // The content may be empty.
        guard encoded.count > 1 else { return }
        guard case .content(_, false) = outcome(of: encoded.dropLast(), names, part: part, piece: piece) else {
            return expect(false, "content counts as complete without its last byte")
        }
    }
}

private enum Outcome: Equatable {
    case content([UInt8], isComplete: Bool)
    case stopped
    case failed
}

private func decoder(_ names: [String]) throws -> any ContentDecoder {
    try ContentCoding.decoder(of: names)
}

/// Decodes all at once, and compares with what is decoded in parts and pieces.
private func outcome(of bytes: [UInt8], _ names: [String], part: Int, piece: Int) -> Outcome {
    let whole = decoded(bytes, names, part: max(bytes.count, 1), piece: 64 * 1024)
    for (part, piece) in [(part, 64 * 1024), (1, max(piece, 16))] {
        let split = decoded(bytes, names, part: part, piece: piece)
        // Output beyond the limit is not compared.
        guard whole != .stopped, split != .stopped else { continue }
        // libzstd compares the length that a frame declares with that of its blocks. If the last block is empty, it
        // does so only for a frame that is decoded at once.
        if names.contains("zstd"), whole == .failed || split == .failed { continue }
        expectEqual(split, whole, "the result depends on parts of \(part) or pieces of \(piece)")
    }
    return whole
}

/// The bytes after the requested memory, which a decoder must not change.
private let guardBytes = [UInt8](repeating: 0xA5, count: 64)

private func decoded(_ bytes: [UInt8], _ names: [String], part: Int, piece: Int) -> Outcome {
    guard let decoder = try? decoder(names) else { return .failed }
    var (decoded, buffer) = ([UInt8](), [UInt8](repeating: 0, count: piece) + guardBytes)
    for start in stride(from: 0, to: bytes.count, by: part) {
        let end = bytes[start..<min(start + part, bytes.count)].withUnsafeBytes { part -> Outcome? in
            var rest = part
            while true {
                let before = rest.count
                var count = 0
                let success: Void? = try? buffer.withUnsafeMutableBytes {
                    try decoder.decode(&rest, into: UnsafeMutableRawBufferPointer(rebasing: $0[..<piece]), &count)
                }
                expect(buffer[piece...].elementsEqual(guardBytes), "a decoder wrote beyond its memory")
                guard success != nil else { return .failed }
                expect((0...piece).contains(count) && rest.count <= before, "a decoder counts wrong")
                decoded += buffer[..<count]
                if decoded.count > limit { return .stopped }
                if count < piece {
                    expect(rest.isEmpty, "a decoder left input though there was room")
                    return nil
                }
            }
        }
        if let end { return end }
    }
    return .content(decoded, isComplete: decoder.isComplete)
}

/// Encodes at most 64 KiB without compressing them.
private func encode(_ bytes: [UInt8], as name: String) -> [UInt8] {
    let count = bytes.count
    switch name {
    case "gzip":  // RFC 1952
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
        return header + stored(bytes) + littleEndian(crc32(bytes), 4) + littleEndian(count, 4)
    case "deflate":  // RFC 1950
        return [0x78, 0x01] + stored(bytes) + littleEndian(adler32(bytes), 4).reversed()
    case "br":  // RFC 7932, section 9.2: a meta-block without compression, and an empty one
        return count == 0 ? [0x06] : littleEndian((count - 1) << 4 | 1 << 20, 3) + bytes + [0x03]
    default:  // RFC 8878, section 3.1.1: a raw block
        return [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38] + littleEndian(count << 3 | 1, 3) + bytes
    }
}

/// A block of deflate data (RFC 1951, section 3.2.4).
private func stored(_ bytes: [UInt8]) -> [UInt8] {
    [1] + littleEndian(bytes.count, 2) + littleEndian(~bytes.count, 2) + bytes
}

private func littleEndian(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
}

private func crc32(_ bytes: [UInt8]) -> Int {
    ~bytes.reduce(0xFFFF_FFFF) { checksum, byte in
        (0..<8).reduce(checksum ^ Int(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }
}

private func adler32(_ bytes: [UInt8]) -> Int {
    let sums = bytes.reduce((1, 0)) { sums, byte in
        let first = (sums.0 + Int(byte)) % 65_521
        return (first, (sums.1 + first) % 65_521)
    }
    return sums.1 << 16 | sums.0
}
