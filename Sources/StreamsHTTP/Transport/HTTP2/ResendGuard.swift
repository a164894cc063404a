#if canImport(CLibcurl)
import CLibcurl

/// A guard against requests that libcurl sends again by itself.
///
/// libcurl sends a request again if a reused connection breaks before the first byte of the response, whatever the
/// method. The server may have processed the request (RFC 9112, section 9.3.1), so the transfer fails instead, and the
/// state machine decides on a repeat. libcurl may start again if it has sent nothing, or if the server has refused the
/// HTTP/2 stream, and so has not processed the request (RFC 9113, sections 7 and 8.7).
struct ResendGuard {
    /// Whether libcurl has begun to send the request.
    private(set) var hasBegun = false
    /// Whether a connection has been opened since libcurl last began to send.
    private(set) var isConnectionNew = false
    /// Whether the connection on which libcurl last began to send was opened for the transfer. Only a refused stream
    /// is sent again after that.
    private var wasConnectionNew = false
    /// The transfer's time to connect when libcurl last began to send. In versions without a callback, a change means
    /// that another connection is used.
    private var connectTime: Int64 = 0

    mutating func openedSocket() {
        isConnectionNew = true
    }

    /// Records that libcurl begins to send the request.
    mutating func begin() {
        hasBegun = true
        wasConnectionNew = isConnectionNew
        isConnectionNew = false
    }

    /// Returns whether libcurl is sending the request on a connection for which ``begin()`` has not been called, for
    /// versions that do not announce it.
    mutating func hasChangedConnection(_ easy: OpaquePointer) -> Bool {
        guard Self.hasSent(easy) else { return false }
        let time = ExchangeMetrics.offset(CurlInfoConnectTime, of: easy)
        defer { connectTime = time }
        return time != connectTime
    }

    /// Returns whether libcurl may begin to send the request, or open a connection for it.
    ///
    /// - Parameter errorText: libcurl's description of the last failure, or an empty text.
    func allowsSending(_ easy: OpaquePointer, errorText: UnsafePointer<CChar>) -> Bool {
        guard hasBegun, !CurlTransport.Runtime.current.countsSentHeads || Self.hasSent(easy) else { return true }
        guard errorText.pointee == 0 else { return Self.isAboutVersion(String(cString: errorText)) }
        return wasConnectionNew && CurlTransport.Runtime.current.tellsRefusedStreams
    }

    /// Returns whether a failure means that the server requires HTTP/1.1. If the connection was new, libcurl adds a
    /// second failure, after which it sends no request again otherwise.
    private static func isAboutVersion(_ errorText: String) -> Bool {
        errorText.contains("HTTP_1_1_REQUIRED") || errorText.hasPrefix("Empty reply")
    }

    /// Returns whether libcurl has passed a part of the request to a connection.
    private static func hasSent(_ easy: OpaquePointer) -> Bool {
        ExchangeMetrics.number(CurlInfoRequestSize, of: easy) > 0
    }
}
#endif
