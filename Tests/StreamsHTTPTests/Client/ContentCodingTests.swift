import StreamsHTTP
import StreamsLoopback
import Testing

/// Bodies with a content coding.
@Suite(.serialized, .reservesDescriptors) struct ContentCodingTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
    }

    /// Sends encoded bytes, and records how they are delivered.
    private func delivery(
        _ bytes: [UInt8], _ codings: String, status: Int = 200, framing: Reply.Body.Framing = .length
    ) async throws -> EventRecording<Void> {
        let body = Reply.Body([.bytes(bytes)], framing: framing)
        server.on("GET", "/", Reply(status, headers: ["Content-Encoding": codings, "X-Name": "a"], body: body))
        return try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
    }

    @Test(arguments: EncodedText.supported) func decodes(_ coding: EncodedText) async throws {
        let recording = try await delivery(coding.bytes, coding.name)
        #expect(recording.failure == nil)
        #expect(recording.body == EncodedText.text)
        let response = try await client.response(for: HTTPRequest(.get, "/"))
        #expect(response.body == EncodedText.text)
        // The fields of the encoded body would be wrong for the decoded one, which the program may pass on.
        for headers in [response.headers, recording.head?.headers, recording.response?.headers] {
            #expect(headers?.contains("Content-Encoding") == false && headers?.contains("Content-Length") == false)
            #expect(headers?["X-Name"] == "a")
        }
        #expect(recording.downloads.last?.total == Int64(coding.bytes.count))
    }

    @Test(arguments: EncodedText.supported.filter(\.hasChecksum))
    func progressReachesTheLengthIfTheEndIsAChecksum(_ coding: EncodedText) async throws {
        let gate = Gate()
        let parts: [Reply.Body.Piece] = [
            .bytes(Array(coding.bytes.dropLast())), .hold(gate), .bytes(Array(coding.bytes.suffix(1))),
        ]
        server.on(
            "GET", "/",
            Reply(headers: ["Content-Encoding": coding.name], body: Reply.Body(parts, framing: .length)))
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, "/")))
        try await recorder.wait(for: "the text") { $0.body == EncodedText.text }
        gate.open()
        let recording = try await recorder.finished()
        #expect(recording.downloads.last?.completed == Int64(coding.bytes.count))
        recorder.verify()
    }

    @Test func validationAndErrorsHaveTheFieldsOfTheDecodedBody() async throws {
        let body = Reply.Body.bytes(EncodedText.gzip.bytes)
        server.on("GET", "/", Reply(404, headers: ["Content-Encoding": "gzip"], body: body))
        let seen = Watched<[HTTPHeaders]>([])
        let request = HTTPRequest(.get, "/").settingOptions {
            $0.validation = .custom { head in
                seen.update { $0.append(head.headers) }
                return false
            }
        }
        let error = try await failure { () throws(HTTPError) in try await client.response(for: request) }
        #expect(error.response?.body == EncodedText.text)
        for headers in seen.value + [error.response?.headers ?? [:]] {
            #expect(!headers.contains("Content-Encoding") && !headers.contains("Content-Length"))
        }
        #expect(seen.value.count == 1)
    }

    @Test func keepsTheFieldsOfABodyThatIsNotDecoded() async throws {
        let bytes = EncodedText.gzip.bytes
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(bytes)))
        server.on("HEAD", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(bytes)))
        let encoded = HTTPRequest(.get, "/").settingOptions { $0.connection.decodesContent = false }
        for request in [encoded, HTTPRequest(.head, "/")] {
            let response = try await client.response(for: request)
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(response.headers["Content-Length"] == "\(bytes.count)")
        }
        // A body that stays encoded keeps its fields.
        server.on("GET", "/", Reply(404, headers: ["Content-Encoding": "compress"], body: .bytes(bytes)))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/"))
        }
        #expect(error.response?.headers["Content-Encoding"] == "compress")
    }

    @Test func monitorsReceiveTheFieldsAsSent() async throws {
        final class Heads: EventMonitor {
            let heads = Watched<[HTTPHeaders]>([])

            func request(
                _ request: MonitoredRequest, exchange: HTTPRequest.Metrics.Exchange,
                reached stage: MonitoredRequest.Stage
            ) {
                if case .head(let head) = stage { heads.update { $0.append(head.headers) } }
            }
        }
        let monitor = Heads()
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(EncodedText.gzip.bytes)))
        _ = try await client.configuring { $0.monitors = [monitor] }.response(for: HTTPRequest(.get, "/"))
        #expect(monitor.heads.value.map { $0["Content-Encoding"] } == ["gzip"])
        #expect(monitor.heads.value.map { $0["Content-Length"] } == ["\(EncodedText.gzip.bytes.count)"])
    }

    // MARK: Ranges

    @Test func asksForNoCodingWithARange() async throws {
        server.on("GET", "/", .text("hello"))
        let range = HTTPRequest(.get, "/").settingHeader("Range", "bytes=30-")
        _ = try await client.response(for: range)
        _ = try await client.response(for: range.settingHeader("Accept-Encoding", "gzip"))
        #expect(server.requests.map { $0.headers["Accept-Encoding"] } == [nil, "gzip"])
    }

    /// The range is one of the encoded bytes, which cannot be decoded by themselves.
    @Test func leavesAPartOfAnEncodedBodyEncoded() async throws {
        let part = Array(EncodedText.gzip.bytes.dropFirst(30))
        let headers: HeaderFields = ["Content-Encoding": "gzip", "Content-Range": "bytes 30-99/100"]
        server.on("GET", "/", Reply(206, headers: headers, body: .bytes(part)))
        let request = HTTPRequest(.get, "/").settingHeader("Range", "bytes=30-")
        let response = try await client.response(for: request)
        #expect(response.body == Data(part) && response.headers["Content-Encoding"] == "gzip")
        // A server may ignore the range.
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(EncodedText.gzip.bytes)))
        let whole = try await client.response(for: request)
        #expect(whole.body == EncodedText.text && !whole.headers.contains("Content-Encoding"))
    }

    /// The length is right: the server itself has only a part.
    @Test(
        arguments: EncodedText.supported, [Reply.Body.Framing.length, .chunked, .untilClose])
    func failsWhenContentHasNoEnd(_ coding: EncodedText, framing: Reply.Body.Framing) async throws {
        for missing in [1, coding.bytes.count / 2] {
            let recording = try await delivery(coding.bytes.dropLast(missing), coding.name, framing: framing)
            #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
            #expect(EncodedText.text.starts(with: recording.body))
            let collected = try await failure { () throws(HTTPError) in
                try await client.response(for: HTTPRequest(.get, "/"))
            }
            #expect(collected.reason.outline == "transfer.body-ended-early")
        }
    }

    @Test(arguments: EncodedText.supported.filter(\.hasChecksum))
    func failsWhenTheChecksumDiffers(_ coding: EncodedText) async throws {
        var bytes = coding.bytes
        // In front of gzip's length.
        bytes[bytes.count - (coding == .gzip ? 5 : 1)] ^= 1
        let recording = try await delivery(bytes, coding.name)
        #expect(recording.failure?.reason.outline == "transfer.undecodable-content")
        #expect(recording.failure?.underlying?.domain == (coding == .zstandard ? "zstd" : "zlib"))
    }

    @Test func failsWhenTheLengthDiffers() async throws {
        var bytes = EncodedText.gzip.bytes
        bytes[bytes.count - 1] ^= 1
        let recording = try await delivery(bytes, "gzip")
        #expect(recording.failure?.reason.outline == "transfer.undecodable-content")
    }

    @Test func retriesContentWithoutEnd() async throws {
        let headers: HeaderFields = ["Content-Encoding": "gzip"]
        let bytes = EncodedText.gzip.bytes
        server.on(
            "GET", "/", Reply(headers: headers, body: .bytes(bytes.dropLast())),
            Reply(headers: headers, body: .bytes(bytes)))
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: Backoff(initial: .zero))
        }
        let response = try await client.response(for: HTTPRequest(.get, "/", options: options))
        #expect(response.body == EncodedText.text)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["gzip", "x-gzip", "GZIP", "identity, gzip", "gzip,, none", " gzip\t"])
    func recognisesGzip(named name: String) async throws {
        #expect(try await delivery(EncodedText.gzip.bytes, name).body == EncodedText.text)
    }

    @Test(arguments: ["identity", "none", "", ","]) func leavesPlainContentAlone(named name: String) async throws {
        let recording = try await delivery(Array("plain".utf8), name)
        #expect(recording.failure == nil && recording.body == Data("plain".utf8))
    }

    @Test func decodesTwoCodings() async throws {
        let inner = EncodedText.gzip.bytes
        let outer = Deflate.stored(inner)
        #expect(try await delivery(outer, "gzip, deflate").body == EncodedText.text)
        server.on(
            "GET", "/",
            Reply(headers: ["Content-Encoding": "gzip", "Content-Encoding": "deflate"], body: .bytes(outer)))
        #expect(try await client.response(for: HTTPRequest(.get, "/")).body == EncodedText.text)
        // Each of the two without its end.
        for cut in [Array(outer.dropLast()), Deflate.stored(inner.dropLast())] {
            let recording = try await delivery(cut, "gzip, deflate")
            #expect(recording.failure?.reason.outline == "transfer.body-ended-early")
        }
    }

    @Test(arguments: ["compress", "utf-8", "gzip, compress", "gzip, gzip, gzip"])
    func failsWithCodingsThatCannotBeDecoded(named name: String) async throws {
        let recording = try await delivery(EncodedText.gzip.bytes, name)
        #expect(recording.failure?.reason.outline == "transfer.undecodable-content")
        #expect(try await delivery([], name).failure == nil)
    }

    @Test(arguments: EncodedText.supported.filter { $0 == .gzip || $0 == .zstandard })
    func decodesSeveralMembers(of coding: EncodedText) async throws {
        let recording = try await delivery(coding.bytes + coding.bytes, coding.name)
        #expect(recording.failure == nil)
        #expect(recording.body == EncodedText.text + EncodedText.text)
        let cut = try await delivery(coding.bytes + coding.bytes.dropLast(), coding.name)
        #expect(cut.failure?.reason.outline == "transfer.body-ended-early")
    }

    @Test(arguments: EncodedText.supported) func ignoresBytesAfterTheEnd(of coding: EncodedText) async throws {
        let recording = try await delivery(coding.bytes + [0, 0, 0, 0, 0, 1, 2, 3], coding.name)
        #expect(recording.failure == nil)
        #expect(recording.body == EncodedText.text)
        #expect(recording.downloads.last?.completed == Int64(coding.bytes.count + 8))
        #expect(recording.downloads.last?.decoded == Int64(EncodedText.text.count))
    }

    @Test func acceptsEncodedResponsesWithoutBody() async throws {
        let headers: HeaderFields = ["Content-Encoding": "gzip"]
        server.on("HEAD", "/", Reply(headers: headers, body: .bytes(EncodedText.gzip.bytes)))
        #expect(try await client.response(for: HTTPRequest(.head, "/")).body.isEmpty)
        for status in [200, 204] {
            #expect(try await delivery([], "gzip", status: status).failure == nil)
        }
        let options = RequestOptions.with { $0.validation = .acceptAll }
        server.on("GET", "/", Reply(304, headers: headers))
        #expect(try await client.response(for: HTTPRequest(.get, "/", options: options)).status == .notModified)
    }

    /// A part of an encoded file need not contain its end.
    @Test func acceptsPartsOfEncodedContent() async throws {
        let recording = try await delivery(EncodedText.gzip.bytes.dropLast(), "gzip", status: 206)
        #expect(recording.failure == nil)
        #expect(recording.body == EncodedText.text)
    }

    @Test func decodesTheContentOfErrors() async throws {
        #expect(
            try await delivery(EncodedText.gzip.bytes, "gzip", status: 404).failure?.response?.body == EncodedText.text)
        let cut = try await delivery(EncodedText.gzip.bytes.dropLast(), "gzip", status: 404)
        #expect(cut.failure?.reason.outline == "status(404)" && cut.failure?.response?.body == EncodedText.text)
    }

    /// Older versions of libcurl decode them as they decode content, however far they expand.
    @Test(arguments: ["gzip, chunked", "deflate, chunked", "compress, chunked", "gzip"])
    func refusesTransferCodings(named names: String) async throws {
        let body = Reply.Body.chunked(.bytes(Deflate.densestZeros(matches: 1000)))
        server.on("GET", "/", Reply(headers: ["Transfer-Encoding": names], body: body))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(recording.failure?.reason.outline == "transfer.undecodable-content")
        #expect(recording.body.isEmpty)
    }

    @Test func acceptsTheSameCodingsForEveryBody() async throws {
        server.on("GET", "/", .text("hello"))
        _ = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let features = CurlTransport.runtime.features
        let names =
            ["deflate, gzip"] + (features.contains(.brotli) ? ["br"] : []) + (features.contains(.zstd) ? ["zstd"] : [])
        let expected = names.joined(separator: ", ")
        #expect(server.requests.map { $0.headers["Accept-Encoding"] } == [expected, expected])
    }

    @Test func theServerWaitsForTheSubscriberOfEncodedContent() async throws {
        let server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 16 * 1024))
        // Blocks without compression, so that much is sent.
        let block = [0, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 7, count: 0xFFFF)
        let body = Reply.Body([.bytes([0x78, 0x01])] + Array(repeating: .bytes(block), count: 1024))
        server.on("GET", "/", Reply(headers: ["Content-Encoding": "deflate"], body: body))
        let recorder = EventRecorder<Void>(demand: .max(2), keepingBody: false)
        server.client().events(for: HTTPRequest(.get, "/")).subscribe(recorder)
        let held = try await server.waitForBackPressure(lasting: .milliseconds(500)).bytesWritten
        #expect(held < 16 << 20)
        recorder.cancel()
        try await server.waitForDisconnection()
        recorder.verify()
    }
}
