/// A client's violation of the protocol.
struct HTTP2Violation: Error, Equatable {
    let code: HTTP2ErrorCode
    let reason: String
    /// The stream that ends by it; `nil` if the connection ends.
    var stream: Int?

    init(_ code: HTTP2ErrorCode, _ reason: String, stream: Int? = nil) {
        self.code = code
        self.reason = reason
        self.stream = stream
    }

    /// The entry in ``Journal/rejections``.
    var entry: String { "\(code): \(reason)" }
}
