/// A breach of the protocol by the peer, for which the connection is closed.
package enum WebSocketViolation: Error, Equatable {
    /// A frame that the protocol forbids.
    case frame(String)
    /// A text that is not UTF-8.
    case text
    /// A message that is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// A message that cannot be decompressed.
    case compression

    /// The code that the peer is told.
    var code: WebSocketCloseCode {
        switch self {
        case .frame: .protocolError
        case .text, .compression: .invalidPayload
        case .tooLarge: .messageTooBig
        }
    }
}
