/// A client's violation of the protocol.
struct HTTP2Violation: Error, Equatable {
    let code: LoopbackServer.HTTP2ErrorCode
    let reason: String
    /// The stream that ends by it; `nil` if the connection ends.
    var stream: Int?

    init(_ code: LoopbackServer.HTTP2ErrorCode, _ reason: String, stream: Int? = nil) {
        self.code = code
        self.reason = reason
        self.stream = stream
    }

    /// The entry in ``LoopbackServer/Journal/rejections``.
    var entry: String { "\(code): \(reason)" }
}
