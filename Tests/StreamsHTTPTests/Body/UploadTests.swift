import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Bodies of requests, as the server gets them.
@Suite(.serialized, .reservesDescriptors) struct UploadTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        // More than a segment of the loopback device: into a smaller window, the kernel sends by a timer.
        server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 256 * 1024))
        client = server.client()
        server.on("POST", "/", .text("got it"))
    }

    private func upload(_ body: HTTPBody) async throws -> EventRecorder<Void>.Recording {
        try await EventRecorder.record(client.events(for: HTTPRequest(.post, "/", body: body)))
    }

    @Test func dataIsSentWithItsLengthAndProgress() async throws {
        let recording = try await upload(.data(Data(GeneratedBytes.bytes(0..<1_000_000))))
        let request = try #require(server.requests.first)
        #expect(request.bodyCount == 1_000_000 && GeneratedBytes.matches(request.body, at: 0))
        #expect(request.headers["Content-Length"] == "1000000")
        #expect(request.headers["Content-Type"] == "application/octet-stream")
        #expect(recording.uploads.last?.fraction == 1)
    }

    @Test func aPostWithoutABodySaysSo() async throws {
        let recording = try await upload(.empty)
        #expect(server.requests.first?.headers["Content-Length"] == "0")
        #expect(server.requests.first?.headers["Transfer-Encoding"] == nil)
        #expect(recording.uploads.isEmpty)
    }

    @Test func aFileIsSentAsItStands() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
        try Data(GeneratedBytes.bytes(0..<300_000)).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let recording = try await upload(.file(file.path))
        let request = try #require(server.requests.first)
        #expect(request.bodyCount == 300_000 && GeneratedBytes.matches(request.body, at: 0))
        #expect(request.headers["Content-Length"] == "300000")
        #expect(recording.uploads.last?.fraction == 1)
    }

    @Test func aMissingFileFailsTheRequest() async throws {
        let recording = try await upload(.file("/nowhere/at/all"))
        #expect(recording.failure?.reason.outline == "thrown.body(FileError)")
        #expect(server.requests.isEmpty)
    }

    @Test func aPathWithANULFailsTheRequest() async throws {
        let folder = try ScratchFolder()
        try folder.write("other", to: "a")
        let form = MultipartForm([.file("f", path: "\(folder.path)/a\0b", filename: "a")])
        for body in [HTTPBody.file("\(folder.path)/a\0b"), try .multipart(form)] {
            let recording = try await upload(body)
            #expect(recording.failure?.reason.outline == "thrown.body(FileError)")
        }
        #expect(server.requests.isEmpty)
    }

    @Test func anEmptyFileIsSentWithItsLength() async throws {
        let folder = try ScratchFolder()
        try folder.write("", to: "empty")
        _ = try await upload(.file("\(folder.path)/empty"))
        #expect(server.requests.first?.headers["Content-Length"] == "0")
        #expect(server.requests.first?.headers["Transfer-Encoding"] == nil)
    }

    #if os(Linux)
    /// The size of such a file is 0.
    @Test func aFileOfTheKernelIsSentInChunks() async throws {
        let content = try String(contentsOfFile: "/proc/version", encoding: .utf8)
        let recording = try await upload(.file("/proc/version"))
        #expect(server.requests.first?.text == content)
        #expect(server.requests.first?.headers["Transfer-Encoding"] == "chunked")
        #expect(recording.uploads.allSatisfy { $0.fraction == nil })
        let form = MultipartForm([.file("f", path: "/proc/version"), .text("a", "1")])
        _ = try await upload(.multipart(form, boundary: "b"))
        let sent = try #require(server.requests.last?.text)
        #expect(sent.contains("\r\n\r\n\(content)\r\n--b\r\n") && sent.hasSuffix("\r\n\r\n1\r\n--b--\r\n"))
    }
    #endif

    @Test func aStreamOfUnknownLengthIsSentInChunks() async throws {
        let recording = try await upload(.stream(ChunkSource(count: 20) { Data(repeating: UInt8($0), count: 1000) }))
        let request = try #require(server.requests.first)
        #expect(request.headers["Transfer-Encoding"] == "chunked")
        #expect(request.headers["Content-Length"] == nil)
        #expect(request.body == (0..<20).flatMap { [UInt8](repeating: $0, count: 1000) })
        #expect(recording.uploads.allSatisfy { $0.fraction == nil })
    }

    @Test func aStreamOfKnownLengthIsSentWithIt() async throws {
        let recording = try await upload(
            .stream(length: 20_000, ChunkSource(count: 20) { Data(repeating: UInt8($0), count: 1000) }))
        #expect(server.requests.first?.headers["Content-Length"] == "20000")
        #expect(server.requests.first?.bodyCount == 20_000)
        #expect(recording.uploads.last?.fraction == 1)
    }

    @Test(arguments: [2999, 2500, 3001, 5000, 1_000_000] as [Int64])
    func anotherLengthThanDeclaredIsAnError(declared: Int64) async throws {
        let chunks = ChunkSource(count: 3) { _ in Data(count: 1000) }
        let recording = try await upload(.stream(length: declared, chunks))
        #expect(recording.failure?.reason.outline == "thrown.body(lengthMismatch)")
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test(arguments: ["too long", "failed"])
    func whatGoesWrongBehindTheDeclaredLengthIsAnError(way: String) async throws {
        let mayGoOn = Watched(false)
        let chunks = ChunkSource(count: 2, end: way == "failed" ? .failed(SourceFailed()) : .finished) { index in
            guard index > 0 else { return Data(count: 1000) }
            // On the body's own queue, which may take its time.
            mayGoOn.waitSynchronously { $0 }
            return Data(count: way == "failed" ? 0 : 1)
        }
        let recorder = EventRecorder<Void>()
        let body = HTTPBody.stream(length: 1000, chunks)
        client.events(for: HTTPRequest(.post, "/", body: body)).subscribe(recorder)
        try await server.wait { ($0.requests.first?.bodyCount ?? 0) >= 999 }
        mayGoOn.update { $0 = true }
        let reason = try await recorder.finished().failure?.reason.outline
        #expect(reason == (way == "failed" ? "thrown.body(SourceFailed)" : "thrown.body(lengthMismatch)"))
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test func aFailingStreamFailsTheRequest() async throws {
        let recording = try await upload(.stream(ChunkSource([Data(count: 10)], end: .failed(SourceFailed()))))
        #expect(recording.failure?.reason.outline == "thrown.body(SourceFailed)")
        #expect(server.requests.allSatisfy { !$0.isBodyComplete })
    }

    @Test func sendsTheBodyOfAResponse() async throws {
        server.on("GET", "/", .generated(300_000, framing: .chunked))
        _ = try await upload(.stream(client.chunks(for: HTTPRequest(.get, "/"))))
        let request = try #require(server.requests.first { $0.method == "POST" })
        #expect(request.bodyCount == 300_000 && GeneratedBytes.matches(request.body, at: 0))
    }

    @Test func reportsTheFailureOfTheResponseThatItSends() async throws {
        let recording = try await upload(.stream(client.chunks(for: HTTPRequest(.get, "/missing"))))
        #expect(recording.failure?.reason.outline == "thrown.body(HTTPError)")
        #expect(recording.failure.map { "\($0)" }?.contains("/missing: the server answered 404") == true)
    }

    @Test func aOneShotBodyIsSentOnce() async throws {
        let body = HTTPBody.stream(ChunkSource([Data(count: 10)]))
        _ = try await upload(body)
        let second = try await upload(body)
        #expect(second.failure?.reason.outline == "thrown.body(alreadySent)")
        #expect(server.requests.count == 1)
    }

    @Test func aServerThatDoesNotReadHoldsTheSourceBack() async throws {
        let gate = Gate()
        server.on("POST", "/", intake: .after(gate), .text("got it"))
        let source = ChunkSource(count: 2000) { _ in Data(count: 64 * 1024) }
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.post, "/", body: .stream(source))).subscribe(recorder)
        try await server.waitForRequests(1)
        let held = try await source.journal.waitForStandstill()
        // Far from the whole: what the sockets' buffers hold.
        #expect(held.sent < 500)
        #expect(held.requested <= held.sent + 2)
        gate.open()
        try await recorder.finished()
        #expect(source.journal.value.sent == 2000)
        #expect(server.requests.first?.bodyCount == 2000 * 64 * 1024)
    }

    @Test func cancellingTheRequestCancelsTheSource() async throws {
        server.on("POST", "/", intake: .after(Gate()), .text("never"))
        let source = ChunkSource(count: 1_000_000) { _ in Data(count: 64 * 1024) }
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.post, "/", body: .stream(source))).subscribe(recorder)
        try await recorder.wait(for: "upload progress") { !$0.uploads.isEmpty }
        recorder.cancel()
        try await source.journal.wait(for: "the source's cancellation") { $0.isCancelled }
        recorder.verify()
    }

    @Test func aSourceThatHasNothingIsNotTheServersSilence() async throws {
        let mayGoOn = Watched(false)
        let body = HTTPBody.stream(
            ChunkSource(count: 1) { _ in
                // On the body's own queue, which may take its time.
                mayGoOn.waitSynchronously { $0 }
                return Data("late".utf8)
            })
        let options = RequestOptions.with { $0.timeouts.idle = .milliseconds(100) }
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.post, "/", body: body, options: options)).subscribe(recorder)
        try await server.waitForRequests(1)
        // Another request takes several times as long as the limit, on the same transport.
        server.on("GET", "/slow", .text("slow").delayed(by: .milliseconds(400)))
        _ = try await client.response(for: HTTPRequest(.get, "/slow"))
        #expect(!recorder.recording.value.isComplete)
        mayGoOn.update { $0 = true }
        try await recorder.finished()
        #expect(server.requests.first?.text == "late")
    }

    @Test func anAnswerBeforeTheBodyIsRead() async throws {
        server.on("POST", "/", intake: .afterReply, .text("early"))
        let recording = try await upload(.data(Data(count: 8 << 20)))
        #expect(recording.response?.status == .ok)
        #expect(recording.body == Data("early".utf8))
    }

    @Test func aRefusalBeforeTheBodyIsRead() async throws {
        server.on("POST", "/", intake: .never, .text("too much", status: 413))
        let recording = try await upload(.data(Data(count: 8 << 20)))
        // Closing with unread bytes resets the connection, and the reset may overtake the reply.
        let outline = recording.failure?.reason.outline
        #expect(["status(413)", "transfer.send-failed", "transfer.receive-failed"].contains(outline))
    }

    @Test func anIdleConnectionThatWentAwayIsReplaced() async throws {
        server.on("POST", "/", Reply.text("first").failing(with: .close(at: .afterReply)), .text("second"))
        _ = try await upload(.text("one"))
        try await server.wait { $0.openConnections == 0 }
        let second = try await upload(.text("two"))
        #expect(second.response?.status == .ok)
        #expect(server.requests.map(\.text) == ["one", "two"])
        #expect(server.acceptedConnections == 2)
    }
}

struct SourceFailed: Error {}
