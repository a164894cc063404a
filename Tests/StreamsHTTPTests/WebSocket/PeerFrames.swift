@testable import StreamsHTTP

/// The frames of a server.
enum PeerFrames {
    /// A frame that is not masked.
    ///
    /// - Parameter first: The first byte: the opcode, and the bits before it.
    static func frame(_ first: UInt8, _ payload: some Collection<UInt8> = []) -> Data {
        var bytes = [first]
        switch payload.count {
        case ..<126: bytes.append(UInt8(payload.count))
        case ...0xFFFF: bytes += [126] + bigEndian(UInt16(payload.count))
        default: bytes += [127] + bigEndian(UInt64(payload.count))
        }
        return Data(bytes + payload)
    }

    static func text(_ text: String) -> Data { frame(0x81, text.utf8) }
    static func binary(_ content: Data) -> Data { frame(0x82, content) }
    static func ping(_ text: String = "") -> Data { frame(0x89, text.utf8) }
    static func pong(_ text: String = "") -> Data { frame(0x8A, text.utf8) }

    static func close(_ code: UInt16?, _ reason: String = "") -> Data {
        frame(0x88, (code.map { bigEndian($0) } ?? []) + Array(reason.utf8))
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}

/// A frame of a client, unmasked.
struct ClientFrame: Equatable {
    var first: UInt8
    var payload: Data
    var isMasked = true

    static func text(_ text: String) -> ClientFrame { ClientFrame(first: 0x81, payload: Data(text.utf8)) }

    /// The frames that bytes consist of; those after the last whole one are left out.
    static func frames(_ bytes: Data) -> [ClientFrame] {
        var rest = Array(bytes)[...]
        var frames: [ClientFrame] = []
        while rest.count >= 2 {
            let (first, second) = (rest[rest.startIndex], rest[rest.startIndex + 1])
            let headerSize = FrameHeader.size(first, second)
            guard rest.count >= headerSize else { break }
            let header = rest.prefix(headerSize)
            let isMasked = second & 0x80 != 0
            let lengthBytes = header.dropFirst(2).dropLast(isMasked ? 4 : 0)
            let length = lengthBytes.isEmpty ? Int(second & 0x7F) : lengthBytes.reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= headerSize + length else { break }
            let mask = Array(header.suffix(isMasked ? 4 : 0))
            let payload = rest.dropFirst(headerSize).prefix(length).enumerated().map { place, byte in
                isMasked ? byte ^ mask[place & 3] : byte
            }
            frames.append(ClientFrame(first: first, payload: Data(payload), isMasked: isMasked))
            rest = rest.dropFirst(headerSize + length)
        }
        return frames
    }
}
