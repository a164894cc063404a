import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Compressed bodies, as the server gets them.
@Suite(.serialized, .reservesDescriptors) struct CompressedBodyTests {
    private struct User: Codable, Sendable {
        var firstName: String
    }

    private let server: LoopbackServer
    private let client: HTTPClient

    /// A text that becomes smaller.
    private static let text = lines(2000)

    private static func lines(_ count: Int) -> String { (0..<count).map { "line \($0)\n" }.joined() }

    init() throws {
        server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 2 << 20, socketBuffers: 256 * 1024))
        client = server.client().configuring { $0.coders = .json(keys: .snakeCase) }
        server.otherwise { _ in .text("got it") }
    }

    private func upload(_ body: HTTPBody, headers: HTTPHeaders = [:]) async throws -> EventRecording<Void> {
        let options = RequestOptions.with { $0.progress = .everyChunk }
        let request = HTTPRequest(.post, "/", headers: headers, body: body, options: options)
        return try await EventRecorder.record(client.events(for: request))
    }

    private func decoded(_ request: RecordedRequest) throws -> Data {
        let coding = try #require(request.headers["Content-Encoding"])
        return try #require(ContentCoding.decoded(Data(request.body), of: [coding], limit: 1 << 30))
    }

    private static func randomBytes(_ count: Int) -> Data {
        var random = SystemRandomNumberGenerator()
        return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    @Test(arguments: [
        HTTPBody.Compression.gzip, .deflate, .gzip(level: 1), .deflate(level: 9), .gzip(level: -7), .gzip(level: 70),
    ]) func sendsSmallBodyWithLength(compression: HTTPBody.Compression) async throws {
        let recording = try await upload(.text(Self.text).compressed(compression))
        let request = try #require(server.requests.first)
        #expect(try decoded(request) == Data(Self.text.utf8))
        #expect(request.bodyCount < Self.text.utf8.count / 2)
        #expect(request.headers["Content-Encoding"] == compression.name)
        #expect(request.headers["Content-Length"] == "\(request.bodyCount)")
        #expect(request.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(recording.uploads.last?.fraction == 1)
        #expect(recording.uploads.last?.completed == Int64(request.bodyCount))
    }

    @Test func sendsFileInChunks() async throws {
        let folder = try ScratchFolder()
        let content = Self.lines(200_000)
        try folder.write(content, to: "log")
        let recording = try await upload(.file("\(folder.path)/log").compressed())
        let request = try #require(server.requests.first)
        let isExact = try decoded(request) == Data(content.utf8)
        #expect(isExact)
        #expect(request.headers["Transfer-Encoding"] == "chunked" && request.headers["Content-Length"] == nil)
        #expect(recording.uploads.allSatisfy { $0.fraction == nil && $0.total == nil })
        #expect(recording.uploads.last?.completed == Int64(request.bodyCount))
    }

    @Test(arguments: [0, 1, 32 * 1024, 64 * 1024, 64 * 1024 + 1, 1_000_000])
    func sendsEverySizeOfRandomBytes(size: Int) async throws {
        let bytes = Self.randomBytes(size)
        for body in [HTTPBody.data(bytes), .stream(ChunkSource([bytes]))] {
            _ = try await upload(body.compressed())
            let isEqual = try decoded(try #require(server.requests.last)) == bytes
            #expect(isEqual)
        }
    }

    @Test func encodesValuesByClientBeforeCompression() async throws {
        _ = try await upload(.json(User(firstName: "Ada")).compressed())
        let request = try #require(server.requests.first)
        #expect(try decoded(request) == Data(#"{"first_name":"Ada"}"#.utf8))
        #expect(request.headers["Content-Length"] != nil && request.headers["Content-Type"] == "application/json")
    }

    @Test func compressesFormAndNotItsParts() async throws {
        let form = MultipartForm([
            MultipartForm.Part("a", .text(Self.text).compressed()),
            MultipartForm.Part("b", .json(User(firstName: "Ada")).compressed()),
            MultipartForm.Part("c", .stream(ChunkSource([Data("chunk".utf8)])).compressed()),
        ])
        let body = try HTTPBody.multipart(form, boundary: "x")
        #expect(!body.isReplayable)
        _ = try await upload(body.compressed())
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Type"] == "multipart/form-data; boundary=x")
        let text = String(decoding: try decoded(request), as: UTF8.self)
        #expect(text.contains("\r\n\r\n\(Self.text)\r\n--x") && text.contains(#"{"first_name":"Ada"}"#))
        #expect(text.contains("\r\n\r\nchunk\r\n--x--") && !text.contains("Content-Encoding"))
    }

    @Test func leavesEmptyBodyAlone() async throws {
        _ = try await upload(.empty.compressed())
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Encoding"] == nil && request.headers["Content-Length"] == "0")
    }

    @Test func compressesOnce() async throws {
        let body = HTTPBody.text(Self.text).compressed(.deflate).compressed(.gzip)
        #expect(body.contentEncoding == "deflate" && HTTPBody.text("").contentEncoding == nil)
        _ = try await upload(body)
        #expect(try decoded(try #require(server.requests.first)) == Data(Self.text.utf8))
    }

    @Test(arguments: ["br", "gzip", "gzip, br"])
    func refusesBodyThatIsEncodedAlready(coding: String) async throws {
        let recording = try await upload(.text(Self.text).compressed(), headers: ["Content-Encoding": coding])
        #expect(recording.failure?.reason.outline == "thrown.body(alreadyEncoded)")
        #expect(server.requests.isEmpty)
        _ = try await upload(.text(Self.text).compressed(), headers: ["Content-Encoding": "identity"])
        #expect(try decoded(try #require(server.requests.first)) == Data(Self.text.utf8))
    }

    @Test func flushesWhatHasComeWhileSourceWaits() async throws {
        let mayGoOn = Watched(false)
        let chunks = ChunkSource(count: 2) { index in
            // On the body's own queue, which may take its time.
            if index > 0 { mayGoOn.waitSynchronously { $0 } }
            return Data("chunk \(index)\n".utf8)
        }
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.post, "/", body: .stream(chunks).compressed())).subscribe(recorder)
        try await server.wait { server in
            guard let request = server.requests.first else { return false }
            return ContentCoding.decoded(Data(request.body), of: ["gzip"], limit: 100) == Data("chunk 0\n".utf8)
        }
        mayGoOn.update { $0 = true }
        try await recorder.finished()
        #expect(try decoded(try #require(server.requests.first)) == Data("chunk 0\nchunk 1\n".utf8))
    }
}

// MARK: Sending again

extension CompressedBodyTests {
    private static var replayable: [(body: HTTPBody, content: String)] {
        let long = lines(20_000)
        return [
            (.text(text).compressed(), text), (.text(long).compressed(), long),
            (.replayableStream { ChunkSource([Data(text.utf8)]) }.compressed(), text),
        ]
    }

    private func expectContent(_ content: String, ofRequests count: Int) throws {
        let contents = try server.requests.map { try decoded($0) }
        let areExact = contents == Array(repeating: Data(content.utf8), count: count)
        #expect(areExact)
    }

    @Test(arguments: 0..<3) func isSentAgainByRetry(index: Int) async throws {
        server.on("PUT", "/flaky", .status(503), .status(204))
        let (body, content) = Self.replayable[index]
        let request = HTTPRequest(.put, "/flaky").settingBody(body).settingOptions {
            $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.zero))
        }
        _ = try await client.response(for: request)
        #expect(server.requests.count == 2)
        try expectContent(content, ofRequests: 2)
    }

    @Test(arguments: 0..<3, [307, 308]) func isSentAgainToRedirect(index: Int, status: Int) async throws {
        server.on("POST", "/from", .redirect(to: "/to", status: status))
        let (body, content) = Self.replayable[index]
        _ = try await client.response(for: HTTPRequest(.post, "/from", body: body))
        #expect(server.requests.map(\.path) == ["/from", "/to"])
        try expectContent(content, ofRequests: 2)
    }

    @Test func isDroppedWithItsCodingByRedirectToGet() async throws {
        server.on("POST", "/from", .redirect(to: "/to", status: 303))
        _ = try await client.response(for: HTTPRequest(.post, "/from", body: .text(Self.text).compressed()))
        let request = try #require(server.requests.last)
        #expect(request.method == "GET" && request.headers["Content-Encoding"] == nil && request.bodyCount == 0)
    }

    @Test func isSentOnceIfTheBodyIs() async throws {
        let body = HTTPBody.stream(ChunkSource([Data(Self.text.utf8)]))
        #expect(!body.compressed().isReplayable)
        _ = try await upload(body.compressed())
        let second = try await upload(body.compressed())
        #expect(second.failure?.reason.outline == "thrown.body(alreadySent)")
        #expect(server.requests.count == 1)
    }
}

// MARK: Backpressure and failures

extension CompressedBodyTests {
    @Test func holdsSourceBackWhileServerDoesNotRead() async throws {
        let gate = Gate()
        server.on("POST", "/", intake: .after(gate), .text("got it"))
        let size = 64 * 1024
        let source = ChunkSource(count: 1000) { Data(GeneratedBytes.bytes($0 * size..<($0 + 1) * size)) }
        let recorder = EventRecorder<Void>()
        let request = HTTPRequest(.post, "/", body: .stream(source).compressed(.gzip(level: 1)))
        client.events(for: request).subscribe(recorder)
        try await server.waitForRequests(1)
        let held = try await source.journal.waitForStandstill()
        // Far from the whole: the content of the sockets' buffers.
        #expect(held.sent < 500)
        #expect(held.requested <= held.sent + 2)
        gate.open()
        try await recorder.finished()
        #expect(source.journal.value.sent == 1000)
        // The bytes that the server keeps, which cannot be compressed.
        let beginning = try decoded(try #require(server.requests.first))
        #expect(beginning.count > 1 << 20 && GeneratedBytes.matches(beginning, at: 0))
    }

    @Test func cancellationCancelsSource() async throws {
        server.on("POST", "/", intake: .after(Gate()), .text("never"))
        let chunk = Self.randomBytes(64 * 1024)
        let source = ChunkSource(count: 1_000_000) { _ in chunk }
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.post, "/", body: .stream(source).compressed())).subscribe(recorder)
        try await recorder.wait(for: "upload progress") { !$0.uploads.isEmpty }
        recorder.cancel()
        try await source.journal.wait(for: "the source's cancellation") { $0.isCancelled }
        recorder.verify()
    }

    @Test func failureOfSourceFailsRequest() async throws {
        let chunks = [Data(Self.text.utf8), Self.randomBytes(200_000)]
        let recording = try await upload(.stream(ChunkSource(chunks, end: .failed(SourceFailed()))).compressed())
        #expect(recording.failure?.reason.outline == "thrown.body(SourceFailed)")
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test(arguments: [100, 9_000_000]) func sourceOfAnotherLengthFailsRequest(declared: Int64) async throws {
        let chunks = (0..<10).map { _ in Self.randomBytes(50_000) }
        let recording = try await upload(.stream(length: declared, ChunkSource(chunks)).compressed())
        #expect(recording.failure?.reason.outline == "thrown.body(lengthMismatch)")
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test func sourceOfTheDeclaredLengthIsSent() async throws {
        let bytes = Self.randomBytes(200_000)
        let chunks = [bytes.prefix(1), bytes.dropFirst().prefix(99_999), bytes.suffix(100_000)]
        _ = try await upload(.stream(length: 200_000, ChunkSource(chunks)).compressed())
        let isExact = try decoded(try #require(server.requests.first)) == bytes
        #expect(isExact)
    }

    @Test func missingFileFailsRequest() async throws {
        let recording = try await upload(.file("/nowhere/at/all").compressed())
        #expect(recording.failure?.reason.outline == "thrown.body(FileError)")
        #expect(server.requests.isEmpty)
    }
}

// MARK: The option

extension CompressedBodyTests {
    private func isCompressed(_ body: HTTPBody, headers: HTTPHeaders = [:]) async throws -> Bool {
        let client = client.configuring { $0.options.compression = .gzip }
        _ = try await client.response(for: HTTPRequest(.post, "/", headers: headers, body: body))
        return try #require(server.requests.last).headers["Content-Encoding"] == "gzip"
    }

    @Test(arguments: [
        "text/plain", "Text/CSV; charset=utf-8", "application/json", "application/problem+json", "image/svg+xml",
        "application/x-ndjson",
    ]) func optionCompressesText(type: String) async throws {
        #expect(try await isCompressed(.text(Self.text, contentType: type)))
        #expect(try decoded(try #require(server.requests.last)) == Data(Self.text.utf8))
        #expect(server.requests.last?.headers["Content-Type"] == type)
    }

    @Test(arguments: [
        "image/png", "video/mp4", "audio/ogg", "application/pdf", "application/zip", "application/gzip",
        "application/zstd", "application/octet-stream", "multipart/form-data; boundary=x",
        "application/x-www-form-urlencoded", "font/woff2", "text", "",
    ]) func optionLeavesOtherTypesAlone(type: String) async throws {
        #expect(try await !isCompressed(.text(Self.text, contentType: type)))
        #expect(server.requests.last?.text == Self.text)
    }

    @Test(
        arguments: ["Content-Encoding", "Content-Range", "content-digest", "Repr-Digest", "Digest", "Content-MD5"]
            as [HTTPHeaders.Name])
    func optionLeavesDescribedBytesAlone(field: HTTPHeaders.Name) async throws {
        #expect(try await !isCompressed(.text(Self.text), headers: [field: "x"]))
        #expect(server.requests.last?.text == Self.text)
    }

    @Test func optionLeavesSmallAndIncompressibleBodiesAlone() async throws {
        #expect(try await !isCompressed(.text(String(repeating: "a", count: 255))))
        #expect(try await isCompressed(.text(String(repeating: "a", count: 256))))
        #expect(try await !isCompressed(.data(Self.randomBytes(300), contentType: "text/plain")))
        #expect(try await !isCompressed(.empty))
        // Its length is unknown.
        #expect(try await isCompressed(.stream(contentType: "text/plain", ChunkSource([Data("a".utf8)]))))
    }

    @Test func optionOfRequestWins() async throws {
        let client = client.configuring { $0.options.compression = .deflate }
        var call = Call<Data>(.put, "/")
        call.body = .text(Self.text)
        _ = try await client.value(for: call)
        call.options.compression = nil
        _ = try await client.value(for: call)
        call.body = call.body.compressed(.gzip)
        call.options.compression = .deflate
        _ = try await client.value(for: call)
        #expect(server.requests.map { $0.headers["Content-Encoding"] } == ["deflate", nil, "gzip"])
    }
}

// MARK: Interceptors

extension CompressedBodyTests {
    private struct Adaptation: Interceptor {
        let change: @Sendable (inout TransportRequest) throws -> Void

        func adapt(_ request: TransportRequest, _ context: HTTPRequest.Context) async throws -> TransportRequest {
            var request = request
            try change(&request)
            return request
        }
    }

    @Test func interceptorsReadWhatIsSent() async throws {
        let seen = Watched<[Data]>([])
        let client = client.configuring {
            $0.interceptors = [
                Adaptation { request in
                    #expect(request.headers["Content-Encoding"] == "gzip")
                    let source = try #require(try request.body.open(onReadable: {}))
                    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
                    guard case .bytes(let count) = buffer.withUnsafeMutableBytes({ source.read(into: $0) }) else {
                        return
                    }
                    #expect(source.length == Int64(count))
                    seen.update { $0.append(Data(buffer[..<count])) }
                }
            ]
        }
        _ = try await client.response(for: HTTPRequest(.post, "/", body: .text(Self.text).compressed()))
        #expect(seen.value == [Data(try #require(server.requests.first).body)])
    }

    @Test func interceptorMayCompress() async throws {
        let client = client.configuring {
            $0.interceptors = [Adaptation { $0.body = $0.body.compressed() }]
        }
        _ = try await client.response(for: HTTPRequest(.post, "/", body: .text(Self.text)))
        #expect(try decoded(try #require(server.requests.first)) == Data(Self.text.utf8))
    }
}
