/// A frame of HTTP/2 (RFC 9113, section 6). Its bytes are valid as long as those that it was read from.
enum HTTP2Frame {
    /// A stream's number; 0 is the connection.
    typealias StreamID = UInt32

    /// Content. The window shrinks by its size, which includes the padding.
    case data(StreamID, UnsafeRawBufferPointer, size: Int, isLast: Bool)
    /// A field block, or the start of one.
    case headers(StreamID, UnsafeRawBufferPointer, endsBlock: Bool, isLast: Bool)
    /// More of the field block.
    case continuation(StreamID, UnsafeRawBufferPointer, endsBlock: Bool)
    case reset(StreamID, HTTP2Error.Code)
    case settings([(HTTP2Setting, UInt32)])
    case settingsAcknowledgement
    case ping(UInt64)
    case pingAcknowledgement(UInt64)
    /// The end of the connection. Streams above the last one have not been processed.
    case goAway(last: StreamID, HTTP2Error.Code)
    case windowUpdate(StreamID, Int)
    case pushPromise(StreamID)
    /// A frame without a meaning here: `PRIORITY`, which is deprecated, and the types of extensions.
    case ignored
}

/// The type of a frame. Others belong to extensions.
enum HTTP2FrameType: UInt8 {
    case data
    case headers
    case priority
    case reset
    case settings
    case pushPromise
    case ping
    case goAway
    case windowUpdate
    case continuation
}

/// The flags of a frame. Those of different types share bits.
struct HTTP2Flags: OptionSet {
    let rawValue: UInt8

    static let acknowledgement = HTTP2Flags(rawValue: 0x1)
    static let endStream = HTTP2Flags(rawValue: 0x1)
    static let endHeaders = HTTP2Flags(rawValue: 0x4)
    static let padded = HTTP2Flags(rawValue: 0x8)
    static let priority = HTTP2Flags(rawValue: 0x20)
}

/// A setting of a connection (RFC 9113, section 6.5.2; RFC 8441, section 3). Others are ignored.
struct HTTP2Setting: RawRepresentable, Hashable {
    let rawValue: UInt16

    static let headerTableSize = HTTP2Setting(rawValue: 0x1)
    static let enablePush = HTTP2Setting(rawValue: 0x2)
    static let maxConcurrentStreams = HTTP2Setting(rawValue: 0x3)
    static let initialWindowSize = HTTP2Setting(rawValue: 0x4)
    static let maxFrameSize = HTTP2Setting(rawValue: 0x5)
    static let maxHeaderListSize = HTTP2Setting(rawValue: 0x6)
    static let enableConnectProtocol = HTTP2Setting(rawValue: 0x8)
}
