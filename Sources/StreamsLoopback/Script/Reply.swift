/// A reply of the server: a head, a body, the steps before them, and a fault.
///
/// ```swift
/// Reply(404)
/// Reply(200, headers: ["ETag": "\"1\""], body: .generated(1 << 30))
/// Reply.text("hello").delayed(by: .milliseconds(20))
/// Reply(body: .chunked("one", .pause(.seconds(1)), "two")).failing(with: .close(at: .inBody(after: 4)))
/// ```
///
/// The server adds `Content-Length`, `Transfer-Encoding` and `Connection` as the body and the request require, unless
/// the reply has the field. Nothing else is added or validated, so that any reply can be sent.
///
/// Over HTTP/2, the names of fields are sent in lower case, and the fields of a connection, such as
/// `Transfer-Encoding`, are not sent. `Connection: close` becomes a GOAWAY before the head, and the connection is closed
/// when its streams have ended. The end of a body without a length is that of the stream. To send another field block,
/// script a frame with ``Fault/HTTP2/frames(_:times:every:at:)``.
public struct Reply: Sendable {
    /// A step before the head.
    public enum Prelude: Sendable {
        /// A delay.
        case pause(Duration)
        /// A wait until the gate opens.
        case hold(Gate)
        /// An informational head, such as 103.
        case informational(status: Int, headers: HeaderFields)
    }

    /// The status code.
    public var status: Int
    /// The reason phrase; `nil` for the registered one of the status.
    public var reason: String?
    /// The header fields, in order.
    public var headers: HeaderFields
    /// The content.
    public var body: Body
    /// The fields after the last chunk of a chunked body, or after any content over HTTP/2.
    public var trailers = HeaderFields()
    /// The steps before the head, in order.
    public var prelude: [Prelude] = []
    /// The fault of the reply, if any.
    public var fault: Fault?
    /// The faults over HTTP/2, in order.
    public var http2Faults: [Fault.HTTP2] = []
    /// The script of the WebSocket that the reply opens, if it does.
    var webSocketSteps: [WebSocketStep]?

    /// Creates a reply without a fault.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - reason: The reason phrase; `nil` for the registered one of the status.
    ///   - headers: The header fields, in order.
    ///   - body: The content.
    public init(_ status: Int = 200, reason: String? = nil, headers: HeaderFields = [:], body: Body = .empty) {
        self.status = status
        self.reason = reason
        self.headers = headers
        self.body = body
    }
}

extension Reply {
    /// Returns an empty reply with a status.
    public static func status(_ status: Int, headers: HeaderFields = [:]) -> Reply {
        Reply(status, headers: headers)
    }

    /// Returns a reply with plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> Reply {
        Reply(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .text(text))
    }

    /// Returns a reply with a JSON document.
    public static func json(_ document: String, status: Int = 200) -> Reply {
        Reply(status, headers: ["Content-Type": "application/json"], body: .text(document))
    }

    /// Returns a reply with bytes, as `application/octet-stream`.
    public static func bytes(_ bytes: some Sequence<UInt8>) -> Reply {
        Reply(headers: ["Content-Type": "application/octet-stream"], body: .bytes(bytes))
    }

    /// Returns a reply with a number of bytes of ``GeneratedBytes``, as `application/octet-stream`.
    public static func generated(_ count: Int, framing: Body.Framing = .length) -> Reply {
        Reply(headers: ["Content-Type": "application/octet-stream"], body: .generated(count, framing: framing))
    }

    /// Returns a redirect.
    public static func redirect(to location: String, status: Int = 302) -> Reply {
        Reply(status, headers: ["Location": location])
    }
}

extension Reply {
    /// Returns this reply with a delay before its head.
    public func delayed(by delay: Duration) -> Reply {
        adding(.pause(delay))
    }

    /// Returns this reply with a wait for a gate before its head.
    public func held(by gate: Gate) -> Reply {
        adding(.hold(gate))
    }

    /// Returns this reply with an informational head before its head.
    public func preceded(by status: Int, headers: HeaderFields = [:]) -> Reply {
        adding(.informational(status: status, headers: headers))
    }

    /// Returns this reply with fields after its last chunk.
    public func with(trailers: HeaderFields) -> Reply {
        var reply = self
        reply.trailers = trailers
        return reply
    }

    /// Returns this reply with another fault.
    public func failing(with fault: Fault) -> Reply {
        var reply = self
        reply.fault = fault
        return reply
    }

    private func adding(_ step: Prelude) -> Reply {
        var reply = self
        reply.prelude.append(step)
        return reply
    }
}
