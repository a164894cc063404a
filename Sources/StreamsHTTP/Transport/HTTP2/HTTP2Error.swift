/// The reason why a connection by HTTP/2, or one of its streams, ends (RFC 9113, section 5.4).
struct HTTP2Error: Error, Equatable {
    /// A code (RFC 9113, section 7). Codes without a name are possible, and mean as much as ``internalError``.
    struct Code: RawRepresentable, Hashable {
        let rawValue: UInt32

        static let noError = Code(rawValue: 0x0)
        static let protocolError = Code(rawValue: 0x1)
        static let internalError = Code(rawValue: 0x2)
        static let flowControlError = Code(rawValue: 0x3)
        static let settingsTimeout = Code(rawValue: 0x4)
        static let streamClosed = Code(rawValue: 0x5)
        static let frameSizeError = Code(rawValue: 0x6)
        static let refusedStream = Code(rawValue: 0x7)
        static let cancel = Code(rawValue: 0x8)
        static let compressionError = Code(rawValue: 0x9)
        static let connectError = Code(rawValue: 0xA)
        static let enhanceYourCalm = Code(rawValue: 0xB)
        static let inadequateSecurity = Code(rawValue: 0xC)
        static let http11Required = Code(rawValue: 0xD)
    }

    let code: Code
    /// The description of the fault.
    let text: String
    /// The stream that ends; `nil` for the connection.
    let stream: UInt32?

    init(_ code: Code, _ text: String, stream: UInt32? = nil) {
        self.code = code
        self.text = text
        self.stream = stream
    }

    static func compression(_ text: String) -> Self { Self(.compressionError, text) }
}

extension HTTP2Error.Code: CustomStringConvertible {
    /// The names of the codes from 0 on.
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    var description: String { rawValue < Self.names.count ? Self.names[Int(rawValue)] : "code \(rawValue)" }
}

extension TransportFailure {
    /// Creates the failure of a stream, or of all streams of a connection.
    init(_ error: HTTP2Error) {
        let violation: ProtocolViolation = error.code == .enhanceYourCalm ? .flood : .frame
        self.init(
            .transfer(.protocolError(violation)),
            underlying: HTTPError.Underlying(
                domain: error.stream == nil ? "HTTP/2" : "HTTP/2 stream", code: Int(error.code.rawValue),
                message: error.text))
    }
}

extension HTTPError.Underlying {
    /// The code with which a server has reset a stream.
    init(reset code: HTTP2Error.Code) {
        self.init(
            domain: "HTTP/2 stream", code: Int(code.rawValue), message: "the server has reset the stream: \(code)")
    }

    /// The code with which a server has ended a connection.
    init(goAway code: HTTP2Error.Code) {
        self.init(domain: "HTTP/2", code: Int(code.rawValue), message: "the server has ended the connection: \(code)")
    }
}
