/// What the server answers: a head, a body, what happens in front of them, and how they go wrong.
///
/// ```swift
/// Reply(404)
/// Reply(200, headers: ["ETag": "\"1\""], body: .generated(1 << 30))
/// Reply.text("hello").delayed(by: .milliseconds(20))
/// Reply(body: .chunked("one", .pause(.seconds(1)), "two")).failing(with: .close(at: .inBody(after: 4)))
/// ```
///
/// The server adds `Content-Length`, `Transfer-Encoding` and `Connection` as the body and the request call for, unless
/// the reply has the field already; nothing else is added and nothing is checked, so that any reply can be written.
public struct Reply: Sendable {
    /// A step in front of the head.
    public enum Prelude: Sendable {
        /// A delay.
        case pause(Duration)
        /// A halt until the gate opens.
        case hold(Gate)
        /// An informational head, such as 103.
        case informational(status: Int, headers: HeaderFields)
    }

    /// The status code.
    public var status: Int
    /// The reason phrase; nil for the one registered for the status.
    public var reason: String?
    /// The header fields, in order.
    public var headers: HeaderFields
    /// The content.
    public var body: Body
    /// The fields behind the last chunk of a chunked body.
    public var trailers = HeaderFields()
    /// What happens in front of the head, in order.
    public var prelude: [Prelude] = []
    /// What goes wrong.
    public var fault: Fault?

    /// A reply that goes well.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - reason: The reason phrase; nil for the one registered for the status.
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
    /// An empty reply with this status.
    public static func status(_ status: Int, headers: HeaderFields = [:]) -> Reply {
        Reply(status, headers: headers)
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> Reply {
        Reply(status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .text(text))
    }

    /// A JSON document, sent as it stands.
    public static func json(_ document: String, status: Int = 200) -> Reply {
        Reply(status, headers: ["Content-Type": "application/json"], body: .text(document))
    }

    /// These bytes, as `application/octet-stream`.
    public static func bytes(_ bytes: some Sequence<UInt8>) -> Reply {
        Reply(headers: ["Content-Type": "application/octet-stream"], body: .bytes(bytes))
    }

    /// That many bytes of ``GeneratedBytes``, as `application/octet-stream`.
    public static func generated(_ count: Int, framing: Body.Framing = .length) -> Reply {
        Reply(headers: ["Content-Type": "application/octet-stream"], body: .generated(count, framing: framing))
    }

    /// The way elsewhere.
    public static func redirect(to location: String, status: Int = 302) -> Reply {
        Reply(status, headers: ["Location": location])
    }
}

extension Reply {
    /// The reply with another step in front of its head: a delay.
    public func delayed(by delay: Duration) -> Reply {
        adding(.pause(delay))
    }

    /// The reply with another step in front of its head: a halt until the gate opens.
    public func held(by gate: Gate) -> Reply {
        adding(.hold(gate))
    }

    /// The reply with another step in front of its head: an informational head.
    public func preceded(by status: Int, headers: HeaderFields = [:]) -> Reply {
        adding(.informational(status: status, headers: headers))
    }

    /// The reply with these fields behind its last chunk.
    public func with(trailers: HeaderFields) -> Reply {
        var reply = self
        reply.trailers = trailers
        return reply
    }

    /// The reply with this fault in place of any other.
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
