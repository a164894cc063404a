/// A code that tells why a connection is closed (RFC 6455, section 7.4).
///
/// ```swift
/// let sessionExpired = WebSocketCloseCode(rawValue: 4001)
/// ```
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection is fulfilled: 1000.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The server shuts down, or the client leaves: 1001.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The peer has broken the protocol: 1002.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The peer has sent a kind of message that is not supported: 1003.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// The close frame had no code: 1005. Never sent.
    public static let noCode = WebSocketCloseCode(rawValue: 1005)
    /// There was no close frame: 1006. Never sent.
    public static let noClose = WebSocketCloseCode(rawValue: 1006)
    /// A text was not UTF-8: 1007.
    public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// A message violates the policy of the receiver: 1008.
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// A message is too large for the receiver: 1009.
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// The server lacks an extension that the client requires: 1010.
    public static let missingExtension = WebSocketCloseCode(rawValue: 1010)
    /// The server has failed: 1011.
    public static let internalError = WebSocketCloseCode(rawValue: 1011)

    /// Whether a close frame may have the code: one that is registered with IANA for that, or one from 3000 to 4999,
    /// which are for libraries and applications (RFC 6455, section 7.4.2).
    public var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

extension WebSocketCloseCode: CustomStringConvertible {
    public var description: String { String(rawValue) }
}

extension WebSocketCloseCode {
    /// Whether the connection was closed because there is no more to send: by the peer, or by this side alone.
    var isInOrder: Bool { [.normal, .goingAway, .noCode, .noClose].contains(self) }

    /// Whether another connection may succeed: the server restarts, is overloaded or has failed, or leaves.
    var isTransient: Bool {
        switch rawValue {
        case 1000, 1001, 1005, 1006, 1011...1014: true
        default: false
        }
    }
}
