import Testing

@testable import StreamsHTTP

/// The opening handshake as a value.
@Suite struct OpeningHandshakeTests {
    private func head(
        _ handshake: OpeningHandshake, changing changes: [String: String?] = [:], adding added: HTTPHeaders = [:],
        version: HTTPVersion = .http11
    ) -> HTTPResponse<Void> {
        let key = handshake.fields["Sec-WebSocket-Key"] ?? ""
        let accept = SHA1.digest(of: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        var headers: HTTPHeaders = [
            "Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade",
            "Sec-WebSocket-Accept": Data(accept).base64EncodedString(),
        ]
        for (name, value) in changes { headers[name] = value }
        for field in added { headers.add(field.name, field.value) }
        return HTTPResponse(
            status: .switchingProtocols, headers: headers, body: (), url: URL(literal: "http://h/"), version: version)
    }

    /// RFC 6455, section 1.3.
    @Test func computesDigestOfStandardsExample() {
        let digest = SHA1.digest(of: Array("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        #expect(Data(digest).base64EncodedString() == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func makesRandomKeys() {
        let keys = (0..<100).map { _ in
            OpeningHandshake(subprotocols: [], offersCompression: false).fields["Sec-WebSocket-Key"] ?? ""
        }
        #expect(Set(keys).count == 100)
        #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
    }

    @Test func acceptsChoicesOfServer() throws {
        let handshake = OpeningHandshake(subprotocols: ["a", "b"], offersCompression: true)
        let plain = try handshake.agreement(head(handshake))
        #expect(plain.subprotocol == nil && plain.compression == nil)
        let full = try handshake.agreement(
            head(
                handshake,
                changing: [
                    "Sec-WebSocket-Protocol": "b",
                    "Sec-WebSocket-Extensions":
                        "permessage-deflate; server_no_context_takeover; client_max_window_bits=10",
                ]))
        #expect(full.subprotocol == "b")
        #expect(full.compression == OpeningHandshake.Compression(resetsInflater: true, windowBits: 10))
    }

    @Test(
        arguments: [
            ["Upgrade": "h2c"], ["Upgrade": nil], ["Connection": "close"], ["Sec-WebSocket-Accept": "wrong"],
            ["Sec-WebSocket-Accept": nil], ["Sec-WebSocket-Protocol": "c"], ["Sec-WebSocket-Protocol": "a, b"],
            ["Sec-WebSocket-Extensions": "bbf-usp-protocol"],
            ["Sec-WebSocket-Extensions": "permessage-deflate, permessage-deflate"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits=16"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits=7"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=08"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; server_no_context_takeover; server_no_context_takeover"],
            ["Sec-WebSocket-Extensions": "permessage-deflate; unknown"],
        ] as [[String: String?]])
    func refusesUnofferedChoices(changes: [String: String?]) {
        let handshake = OpeningHandshake(subprotocols: ["a", "b"], offersCompression: true)
        let error = #expect(throws: HTTPError.Reason.self) {
            _ = try handshake.agreement(head(handshake, changing: changes))
        }
        #expect(error?.name == "web-socket.not-accepted")
    }

    /// RFC 6455, sections 4.1, 11.3.3 and 11.3.4.
    @Test(
        arguments: [
            ("Sec-WebSocket-Accept", ["wrong"], .http11), ("Sec-WebSocket-Protocol", ["a", "a"], .http11),
            ("sec-websocket-protocol", ["a", "c"], .http11), ("X", [], .http10),
        ] as [(String, [String], HTTPVersion)])
    func refusesRepeatedFieldsAndHTTP10(name: String, added: [String], version: HTTPVersion) {
        let handshake = OpeningHandshake(subprotocols: ["a", "b"], offersCompression: true)
        let fields = HTTPHeaders(added.map { HTTPHeaders.Field(name: name, value: $0) })
        let error = #expect(throws: HTTPError.Reason.self) {
            _ = try handshake.agreement(head(handshake, adding: fields, version: version))
        }
        #expect(error?.name == "web-socket.not-accepted")
    }

    /// RFC 9110, section 5.6.1.2.
    @Test(arguments: ["", ",", " , permessage-deflate,,", "permessage-deflate ,\t"])
    func ignoresEmptyMembers(extensions: String) throws {
        let handshake = OpeningHandshake(subprotocols: [], offersCompression: true)
        let changes = [
            "Sec-WebSocket-Extensions": extensions, "Upgrade": ", websocket,", "Connection": ",,upgrade",
        ]
        let agreement = try handshake.agreement(head(handshake, changing: changes))
        #expect((agreement.compression != nil) == extensions.contains("permessage-deflate"))
    }

    @Test func refusesUnofferedCompression() {
        let handshake = OpeningHandshake(subprotocols: [], offersCompression: false)
        #expect(throws: HTTPError.Reason.self) {
            _ = try handshake.agreement(head(handshake, changing: ["Sec-WebSocket-Extensions": "permessage-deflate"]))
        }
    }
}
