/// The types of frames that RFC 9113 defines (section 6), as on the wire.
enum HTTP2FrameType {
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let priority: UInt8 = 0x2
    static let resetStream: UInt8 = 0x3
    static let settings: UInt8 = 0x4
    static let pushPromise: UInt8 = 0x5
    static let ping: UInt8 = 0x6
    static let goAway: UInt8 = 0x7
    static let windowUpdate: UInt8 = 0x8
    static let continuation: UInt8 = 0x9
}

/// The flags of frames, as on the wire.
enum HTTP2Flag {
    static let acknowledgement: UInt8 = 0x1
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8
    static let priority: UInt8 = 0x20
}

/// The defaults and the limits of the protocol (RFC 9113 section 6.5.2).
enum HTTP2Constants {
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    static let headerTableSize = 4096
    static let initialWindow = 65_535
    static let maxFrameSize = 16_384
    static let maxWindow = 0x7FFF_FFFF
}

/// Returns the bytes of a frame. A payload is at most 16 MiB minus one byte.
func http2Frame(_ type: UInt8, flags: UInt8 = 0, stream: Int, _ payload: some Collection<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(9 + payload.count)
    bytes.append(contentsOf: bigEndian(UInt32(clamping: payload.count)).suffix(3))
    bytes.append(type)
    bytes.append(flags)
    bytes.append(contentsOf: bigEndian(UInt32(truncatingIfNeeded: stream)))
    bytes.append(contentsOf: payload)
    return bytes
}
