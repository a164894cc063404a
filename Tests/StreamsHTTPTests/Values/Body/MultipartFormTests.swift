import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

@Suite(.reservesDescriptors) struct MultipartFormTests {
    /// Numbers in a row.
    private struct Counting: RandomNumberGenerator {
        var value: UInt64 = 0

        mutating func next() -> UInt64 {
            value &+= 0x0400_0000_0000_0000
            return value
        }
    }

    /// Returns the bytes of a body, read as the transport reads them.
    private func bytes(_ body: HTTPBody) throws -> Data {
        guard let source = try body.open(onReadable: {}) else { return Data() }
        var data = Data()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 7, alignment: 1)
        defer { buffer.deallocate() }
        while true {
            switch source.read(into: buffer) {
            case .bytes(let count): data.append(contentsOf: buffer[..<count])
            case .end: return data
            case .failed(let error): throw error
            case .waiting: throw CancellationError()
            }
        }
    }

    private func text(_ form: MultipartForm) throws -> String {
        String(decoding: try bytes(.multipart(form, boundary: "b")), as: UTF8.self)
    }

    @Test func partsAreWrittenOneAfterAnother() throws {
        var form: MultipartForm = [.text("a", "1"), .data("d", Data("x".utf8), filename: "d.bin")]
        form.append(MultipartForm.Part("p", .text("t"), headers: ["X-Y": "z", "content-type": "text/html"]))
        form.append(contentsOf: [.json("j", ["k": 1])])
        let parts = [
            "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"d\"; filename=\"d.bin\"\r\n",
            "Content-Type: application/octet-stream\r\n\r\nx\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"p\"\r\nContent-Type: text/html\r\nX-Y: z\r\n\r\nt\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"j\"\r\nContent-Type: application/json\r\n\r\n{\"k\":1}\r\n",
            "--b--\r\n",
        ]
        #expect(try text(form) == parts.joined())
        #expect(try text([]) == "--b--\r\n")
    }

    /// The HTML standard, "multipart/form-data encoding algorithm".
    @Test func namesAreEscapedAsTheStandardSays() throws {
        let form: MultipartForm = [.data("a\"b\nc\r\nd\re\\ü🎈", Data(), filename: "f\"\n\r\\ü🎈")]
        let expected = "name=\"a%22b%0D%0Ac%0D%0Ad%0D%0Ae\\ü🎈\"; filename=\"f%22%0A%0D\\ü🎈\"\r\n"
        #expect(try text(form).contains(expected))
    }

    @Test func aValuesPartsAreNamedByTheirPath() throws {
        struct User: Encodable {
            let name: String
            let tags: [String]
            let address: [String: String]
            let missing: String?
        }
        let user = User(name: "ä", tags: ["x", "y"], address: ["city": "Köln"], missing: nil)
        let form = try MultipartForm(encoding: ["user": user])
        #expect(form.parts.map(\.name) == ["user[name]", "user[tags][0]", "user[tags][1]", "user[address][city]"])
    }

    @Test func theBoundaryIsDrawnUntilItOccursNowhere() throws {
        var generator = Counting()
        let first = try HTTPBody.multipart([.text("a", "1")], using: &generator).contentType
        let boundary = try #require(first?.split(separator: "=").last.map(String.init))
        generator = Counting()
        #expect(try HTTPBody.multipart([.text("a", "2")], using: &generator).contentType == first)
        for clash in ["--\(boundary)", "x-----\(boundary)y"] {
            for form in [[.text("a", clash)], [.text(clash, "")]] as [MultipartForm] {
                generator = Counting()
                #expect(try HTTPBody.multipart(form, using: &generator).contentType != first)
            }
        }
        #expect(throws: MultipartForm.Failure.boundaryInContent("b")) {
            try HTTPBody.multipart([.text("a", "\r\n--b")], boundary: "b")
        }
    }

    @Test(arguments: ["", String(repeating: "a", count: 71), "a\r\n", "a ", "ü", "a;b"])
    func whatIsNoBoundaryIsRefused(boundary: String) {
        #expect(throws: MultipartForm.Failure.boundary(boundary)) {
            try HTTPBody.multipart([.text("a", "1")], boundary: boundary)
        }
    }

    @Test func aBoundaryThatIsNoTokenIsQuoted() throws {
        #expect(
            try HTTPBody.multipart([], boundary: "a:b c").contentType == "multipart/form-data; boundary=\"a:b c\"")
    }

    @Test(arguments: [
        ("X-A", "a\r\nB: 1"), ("X A", "1"), ("Content-Disposition", "attachment"), ("Content-Type", "a\nb"),
    ])
    func fieldsThatBreakOutAreRefused(name: String, value: String) {
        let part = MultipartForm.Part("p", .text("t"), headers: HTTPHeaders([name: value]))
        #expect(throws: MultipartForm.Failure.header(name: name)) { try HTTPBody.multipart([part]) }
    }

    @Test func lengthsAreKnownBeforehandWhereTheirPartsAre() throws {
        let chunks = ChunkSource([Data("abc".utf8)])
        let known = try HTTPBody.multipart([.text("a", "1"), .init("s", .stream(length: 3, chunks))], boundary: "b")
        #expect(known.length == Int64(try text([.text("a", "1"), .data("s", Data("abc".utf8))]).utf8.count))
        let unknown = try HTTPBody.multipart([.init("s", .stream(chunks))])
        #expect(unknown.length == nil)
    }

    @Test func aFormIsReplayableWhereItsPartsAre() throws {
        let replayable = try HTTPBody.multipart([.text("a", "1"), .file("f", path: "/dev/null")])
        #expect(replayable.isReplayable)
        let once = try HTTPBody.multipart([.text("a", "1"), .init("s", .stream(ChunkSource([Data("x".utf8)])))])
        #expect(!once.isReplayable)
        _ = try once.open(onReadable: {})
        #expect(throws: HTTPBody.Failure.alreadySent) { try once.open(onReadable: {}) }
    }

    @Test func filesAreReadWhenTheirTurnComes() throws {
        let folder = try ServerFolder("multipart")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        for number in 0..<3 { try folder.write("file \(number)", to: "f\(number)") }
        let form = MultipartForm((0..<3).map { .file("n\($0)", path: folder.path("f\($0)"), contentType: nil) })
        let body = try HTTPBody.multipart(form, boundary: "b")
        let expected = (0..<3).map {
            "--b\r\nContent-Disposition: form-data; name=\"n\($0)\"; filename=\"f\($0)\"\r\n\r\nfile \($0)\r\n"
        }
        #expect(String(decoding: try bytes(body), as: UTF8.self) == expected.joined() + "--b--\r\n")
        #expect(try body.open(onReadable: {})?.length == Int64((expected.joined() + "--b--\r\n").utf8.count))
        let source = try #require(try body.open(onReadable: {}))
        try folder.write("longer than it was", to: "f2")
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        var end: HTTPBody.ReadResult
        repeat { end = source.read(into: buffer) } while end.isProgress
        guard case .failed(let error) = end else { throw UnexpectedSuccess() }
        guard case HTTPBody.Failure.lengthMismatch(declared: 6, actual: _) = error else { throw error }
        #expect(throws: FileError.self) { try HTTPBody.multipart([.file("f", path: "/nowhere")]).open(onReadable: {}) }
    }

    @Test func aCancelledFormStopsItsParts() throws {
        let chunks = ChunkSource(count: 3) { _ in Data(count: 10) }
        let body = try HTTPBody.multipart([.text("a", "1"), .init("s", .stream(chunks)), .text("z", "2")])
        let source = try #require(try body.open(onReadable: {}))
        source.cancel()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
        defer { buffer.deallocate() }
        guard case .failed(let error) = source.read(into: buffer) else { throw UnexpectedSuccess() }
        #expect(error is CancellationError)
    }

    @Test func aFormWithAStreamArrivesWhole() async throws {
        let server = try LoopbackServer(limits: LoopbackServer.Limits(recording: 1 << 20))
        server.on("POST", "/", .text("got it"))
        let pieces = (0..<100).map { Data(GeneratedBytes.bytes($0 * 1000..<($0 + 1) * 1000)) }
        let form: MultipartForm = [
            .text("a", "1"), .init("s", .stream(length: 100_000, ChunkSource(pieces)), filename: "s"), .text("z", "2"),
        ]
        let same: MultipartForm = [
            .text("a", "1"), .data("s", Data(pieces.joined()), filename: "s"), .text("z", "2"),
        ]
        let request = try HTTPRequest(.post, "/").settingBody(.multipart(form, boundary: "b"))
        _ = try await server.client().response(for: request)
        let recorded = try #require(server.requests.first)
        let expected = try bytes(.multipart(same, boundary: "b"))
        let isWhole = Data(recorded.body) == expected
        #expect(isWhole)
        #expect(recorded.headers["Content-Length"] == "\(expected.count)")
        #expect(recorded.headers["Content-Type"] == "multipart/form-data; boundary=b")
    }
}

extension HTTPBody.ReadResult {
    fileprivate var isProgress: Bool {
        if case .bytes = self { true } else { false }
    }
}
