/// The opening handshake of a client (RFC 6455, section 4).
package struct OpeningHandshake: Sendable {
    /// The choices that the server has made.
    struct Agreement {
        let subprotocol: String?
        /// The compression; `nil` if there is none.
        let compression: Compression?
    }

    /// The parameters of the compression (RFC 7692, section 7.1).
    struct Compression: Equatable {
        /// Whether the server compresses each message by itself.
        var resetsInflater = false
        /// The binary logarithm of the client's largest window.
        var windowBits = 15
    }

    private static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let key: String
    private let subprotocols: [String]
    private let offersCompression: Bool

    init(subprotocols: [String], offersCompression: Bool) {
        var random = SystemRandomNumberGenerator()
        key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }).base64EncodedString()
        self.subprotocols = subprotocols
        self.offersCompression = offersCompression && ZlibDecoder.zlib != nil
    }

    /// Returns the value of the field `Sec-WebSocket-Accept` by which a server accepts a request with a key.
    package static func acceptance(of key: String) -> String {
        Data(SHA1.digest(of: Array((key + suffix).utf8))).base64EncodedString()
    }

    /// Checks a request, to which the handshake adds fields.
    func check(_ request: TransportRequest) throws(HTTPError.Reason) {
        guard request.method == .get else { throw .invalidRequest(.webSocket("its method is \(request.method)")) }
        guard request.body.isEmpty else { throw .invalidRequest(.webSocket("it has a body")) }
        if let field = request.headers.first(where: \.isOfHandshake) {
            throw .invalidRequest(.webSocket("it has the field \(field.name)"))
        }
        guard subprotocols.allSatisfy(\.isToken), Set(subprotocols).count == subprotocols.count else {
            throw .invalidRequest(.webSocket("a subprotocol is no token, or is offered twice"))
        }
    }

    /// The fields of the request.
    var fields: HTTPHeaders {
        var fields: HTTPHeaders = [
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key,
        ]
        if !subprotocols.isEmpty { fields.add("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")) }
        if offersCompression { fields.add("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits") }
        return fields
    }

    /// Returns what the server has agreed to.
    ///
    /// - Throws: ``HTTPError/Reason/webSocket(_:)`` if the response does not open a WebSocket, or has something in it
    ///   that was not offered.
    func agreement(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Agreement {
        // HTTP/1.0 has no informational responses (RFC 9110, section 15.2).
        guard head.version != .http10 else { throw .webSocket(.notAccepted("the response is one of HTTP/1.0")) }
        guard head.headers.hasListElement("websocket", of: "Upgrade"),
            head.headers.hasListElement("upgrade", of: "Connection")
        else { throw .webSocket(.notAccepted("the response does not upgrade to a WebSocket")) }
        // Neither this field nor that of the subprotocol may be repeated (RFC 6455, sections 11.3.3 and 11.3.4).
        guard head.headers.values(for: "Sec-WebSocket-Accept") == [Self.acceptance(of: key)] else {
            throw .webSocket(.notAccepted("the response is not to this request"))
        }
        return Agreement(subprotocol: try subprotocol(head), compression: try compression(head))
    }

    private func subprotocol(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> String? {
        let chosen = head.headers.values(for: "Sec-WebSocket-Protocol")
        guard chosen.count < 2, chosen.allSatisfy(subprotocols.contains) else {
            throw .webSocket(.notAccepted("the server chose a subprotocol that was not offered"))
        }
        return chosen.first
    }

    private func compression(_ head: HTTPResponse<Void>) throws(HTTPError.Reason) -> Compression? {
        let extensions = FieldMember.list(in: head.headers.values(for: "Sec-WebSocket-Extensions"))
        guard let first = extensions.first else { return nil }
        guard extensions.count == 1, offersCompression, first.text.lowercased() == "permessage-deflate",
            let compression = Compression(first)
        else { throw .webSocket(.notAccepted("the server chose an extension that was not offered")) }
        return compression
    }
}

extension HTTPHeaders.Field {
    /// Whether the handshake sets the field.
    fileprivate var isOfHandshake: Bool {
        let name = name.lowercased()
        return name == "connection" || name == "upgrade" || name.hasPrefix("sec-websocket-")
    }
}

extension OpeningHandshake.Compression {
    /// Reads the parameters that a server has chosen; `nil` if one is unknown or invalid.
    init?(_ member: FieldMember) {
        var names: Set<String> = []
        for (name, value) in member.allParameters {
            guard names.insert(name).inserted else { return nil }
            switch (name, value) {
            case ("server_no_context_takeover", nil): resetsInflater = true
            // It does so in any case.
            case ("client_no_context_takeover", nil): break
            case ("server_max_window_bits", let bits?): guard Self.windowBits(bits) != nil else { return nil }
            case ("client_max_window_bits", let bits?):
                guard let bits = Self.windowBits(bits) else { return nil }
                windowBits = bits
            default: return nil
            }
        }
    }

    private static func windowBits(_ text: String) -> Int? {
        Int(text).flatMap { (8...15).contains($0) && text == String($0) ? $0 : nil }
    }
}

extension OpeningHandshake.Compression {
    /// The decompression of the server's messages; `nil` if zlib is missing.
    var inflater: MessageInflater? { MessageInflater(isReset: resetsInflater) }

    /// The compression of the client's messages; `nil` if zlib cannot do it as agreed: it has no window of 256 bytes.
    var deflater: MessageDeflater? {
        windowBits > 8 ? MessageDeflater(windowBits: windowBits) : nil
    }
}

/// A request to open a WebSocket: the handshake, and the frames that are sent on the connection once it is open.
struct WebSocketUpgrade {
    let handshake: OpeningHandshake
    let frames: FrameQueue

    /// Returns a request that asks for the protocol.
    func upgrading(_ request: TransportRequest) throws(HTTPError.Reason) -> TransportRequest {
        try handshake.check(request)
        var request = request
        request.isUpgrade = true
        request.requiresNewConnection = true
        request.headers = handshake.fields.merging(defaults: request.headers)
        request.body = HTTPBody(.stream(length: nil) { [frames] in frames.open($0) }, contentType: nil)
        return request
    }
}

extension RequestPlan {
    /// Creates the plan of the request that opens a WebSocket.
    convenience init(opening request: HTTPRequest, _ upgrade: WebSocketUpgrade, client: HTTPClient) {
        var request = request
        let options = request.options.merging(defaults: client.configuration.options)
        request.options.retry = .never
        request.options.hedging = .never
        request.options.validation = .upgradeOnly
        request.options.maxErrorBodySize = options.maxErrorBodySize ?? Self.defaultMaxErrorBodySize
        request.options.maxBodySize = .max
        request.options.timeouts.total = nil
        request.options.timeouts.minimumRate = nil
        self.init(
            request, client: client, bodyUse: .deliver, queue: client.innerRequestQueue, takesPlace: false,
            upgrade: upgrade.upgrading)
    }
}
