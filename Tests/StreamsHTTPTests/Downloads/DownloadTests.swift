import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Downloads that break off, and that the next one resumes or starts over.
@Suite(.reservesDescriptors) struct DownloadTests {
    static let size = 100_000
    static let broken = 40_000

    let server: LoopbackServer
    let folder: ScratchFolder
    let path: String
    let resource = RangedResource(size: size)

    init() throws {
        server = try LoopbackServer()
        folder = try ScratchFolder()
        path = "\(folder.path)/file"
    }

    /// Serves a resource whose first response breaks off, and then another one.
    func serve(
        _ first: RangedResource? = nil, then second: RangedResource? = nil, framing: Reply.Body.Framing = .length
    ) {
        let (first, second) = (first ?? resource, second ?? first ?? resource)
        var reply = first.whole.failing(with: .close(at: .inBody(after: Self.broken)))
        reply.body.framing = framing
        server.on("GET", "/") { [reply] in $0.turn == 1 ? reply : second.reply(to: $0) }
    }

    func download(_ options: DownloadOptions = DownloadOptions(), from target: String = "/") async throws
        -> DownloadRecording
    {
        try await DownloadRecorder.record(
            server.client().download(for: HTTPRequest(.get, target), to: path, options: options))
    }

    /// Downloads twice: the first call breaks off.
    func downloadTwice(_ options: DownloadOptions = DownloadOptions()) async throws
        -> DownloadRecording
    {
        let first = try await download(options)
        #expect(first.failure?.name == "transfer.body-ended-early")
        #expect(try folder.names == ["file.streams-part", "file.streams-part.json"])
        return try await download(options)
    }

    func expectFile(_ resource: RangedResource, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let contents = try Data(contentsOf: URL(filePath: path))
        #expect(contents == Data(resource.bytes), sourceLocation: sourceLocation)
        #expect(try folder.names == ["file"], sourceLocation: sourceLocation)
    }

    private var ranges: [String?] { server.requests.map { $0.headers["Range"] } }

    // MARK: Without an interruption

    @Test func downloadsAFile() async throws {
        server.on("GET", "/", resource.whole)
        let recording = try await download()
        try expectFile(resource)
        #expect(recording.outline == ["progress", "finished"])
        #expect(recording.progress.last == TransferProgress(completed: Int64(Self.size), total: Int64(Self.size)))
        let file = try #require(recording.file)
        #expect(file.size == Self.size && file.receivedBytes == Self.size && !file.isVerified && file.path == path)
        #expect(file.response?.status == .ok)
        #expect(server.requests.map { $0.headers["Accept-Encoding"] } == ["identity"])
        #expect(ranges == [nil])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test func awaitsAFileWithProgressAndPermissions() async throws {
        server.on("GET", "/", resource.whole)
        var options = DownloadOptions()
        options.permissions = 0o640
        let progress = Watched<[TransferProgress]>([])
        let file = try await server.client().downloadFile(for: HTTPRequest(.get, "/"), to: path, options: options) {
            next in
            progress.update { $0.append(next) }
        }
        try expectFile(resource)
        #expect(file.size == Self.size)
        #expect(progress.value.last?.completed == Int64(Self.size))
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    }

    @Test func replacesAFileAndALinkOnlyWhenComplete() async throws {
        try folder.write("old", to: "old")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/old")
        serve()
        _ = try await download()
        #expect(try folder.text(of: "file") == "old")
        _ = try await download()
        #expect(try folder.text(of: "old") == "old")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == ["file", "old"])
    }

    @Test func keepsContentCodings() async throws {
        let encoded = RangedResource(size: 500, headers: ["ETag": #""v1""#, "Content-Encoding": "gzip"])
        server.on("GET", "/", encoded.whole)
        _ = try await download()
        try expectFile(encoded)
    }

    @Test func writesNoErrors() async throws {
        server.on("GET", "/", .text("no such thing", status: 404))
        let recording = try await download()
        #expect(recording.failure?.status == .notFound)
        #expect(recording.failure?.response?.body == Data("no such thing".utf8))
        #expect(try folder.names == [])
    }

    /// A response of an interceptor's, in place of an error, is not the file, and what there is stays.
    @Test func writesNoResponsesOfInterceptors() async throws {
        serve()
        _ = try await download()
        server.on("GET", "/", .status(500))
        let response = HTTPResponse(status: .ok, body: Data("fallback".utf8), url: URL(literal: "http://h/"))
        let client = server.client().configuring {
            $0.interceptors = [Hook(onRecover: { _, _ in response })]
        }
        let recording = try await DownloadRecorder.record(client.download(for: HTTPRequest(.get, "/"), to: path))
        #expect(recording.failure?.status == .internalServerError)
        #expect(try Data(contentsOf: URL(filePath: "\(path).streams-part")) == Data(resource.bytes.prefix(Self.broken)))
    }

    @Test func followsRedirects() async throws {
        server.on("GET", "/", .redirect(to: "/elsewhere"))
        let resource = resource
        let reply = resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
        server.on("GET", "/elsewhere") { $0.turn == 1 ? reply : resource.reply(to: $0) }
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["resuming 40000", "progress", "finished"])
    }

    // MARK: Resuming

    @Test func resumesWhatAnEarlierCallHasLeft() async throws {
        serve()
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["resuming 40000", "progress", "finished"])
        #expect(ranges == [nil, "bytes=40000-"])
        #expect(server.requests.last?.headers["If-Range"] == #""v1""#)
        // Progress is of the file, and the call tells what it received.
        #expect(recording.progress.allSatisfy { $0.completed > Self.broken && $0.total == Int64(Self.size) })
        #expect(recording.file?.size == Int64(Self.size))
        #expect(recording.file?.receivedBytes == Int64(Self.size - Self.broken))
    }

    @Test func retriesResume() async throws {
        let resource = resource
        let (first, broken) = (Self.broken, Self.size / 2)
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole.failing(with: .reset(at: .inBody(after: first)))
            case 2: .status(503)
            case 3: resource.reply(to: request).failing(with: .close(at: .inBody(after: broken - first)))
            default: resource.reply(to: request)
            }
        }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(
                maxRetries: 3, backoff: Backoff(initial: .milliseconds(1), maximum: .milliseconds(1)))
        }
        let recording = try await DownloadRecorder.record(
            server.client(options: options).download(for: HTTPRequest(.get, "/"), to: path))
        try expectFile(resource)
        let names = recording.outline.filter { $0.hasPrefix("retrying") }
        #expect(
            names == ["retrying: transfer.receive-failed", "retrying: status", "retrying: transfer.body-ended-early"])
        #expect(recording.file?.receivedBytes == Int64(Self.size))
        #expect(server.requests.count == 4)
    }

    @Test func failsInTheLastAttempt() async throws {
        server.on("GET", "/") { _ in .status(503) }
        let options = RequestOptions.with {
            $0.retry = RetryPolicy(
                maxRetries: 1, backoff: Backoff(initial: .milliseconds(1), maximum: .milliseconds(1)))
        }
        let recording = try await DownloadRecorder.record(
            server.client(options: options).download(for: HTTPRequest(.get, "/"), to: path))
        #expect(recording.failure?.status == .serviceUnavailable && recording.failure?.attempt == 2)
        #expect(recording.outline == ["retrying: status"])
    }

    @Test func resumesWithADateThatIsAStrongValidator() async throws {
        let headers: HeaderFields = [
            "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
        ]
        serve(RangedResource(size: Self.size, headers: headers))
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["resuming 40000", "progress", "finished"])
        #expect(server.requests.last?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// A value outside the grammar is no entity tag, beside which a date counts (RFC 9110, sections 8.8.3 and 13.1.5).
    @Test(arguments: ["v1", #""v1"#, #"v1""#, "W/v1", #"w/"v1""#, #""v 1""#, #""v"1""#])
    func resumesWithADateBesideATagThatIsNone(tag: String) async throws {
        let headers: HeaderFields = [
            "ETag": tag, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
        ]
        serve(RangedResource(size: Self.size, headers: headers))
        #expect(try await downloadTwice().outline == ["resuming 40000", "progress", "finished"])
        try expectFile(resource)
        #expect(server.requests.last?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    @Test func resumesNothingByAnotherMethod() async throws {
        serve()
        server.on("POST", "/", resource.whole)
        _ = try await download()
        let recording = try await DownloadRecorder.record(
            server.client().download(for: HTTPRequest(.post, "/"), to: path))
        #expect(recording.outline == ["over: unknown-contents", "progress", "finished"])
        try expectFile(resource)
        #expect(ranges == [nil, nil])
    }

    @Test func finishesAFileOfWhichNothingIsMissing() async throws {
        // The last chunk is missing, and so is the length.
        let resource = resource
        var reply = resource.whole
        reply.body.framing = .chunked
        reply.fault = .close(at: .inBody(after: Self.size))
        server.on("GET", "/") { [reply] in $0.turn == 1 ? reply : resource.reply(to: $0) }
        let recording = try await downloadTwice(DownloadOptions(checksum: FileChecksum(sha256: resource.bytes)))
        try expectFile(resource)
        #expect(recording.outline == ["resuming 100000", "progress", "finished"])
        #expect(recording.file?.response?.status == .rangeNotSatisfiable)
        #expect(recording.file?.receivedBytes == 0)
        #expect(recording.file?.isVerified == true)
    }

    // MARK: Starting over

    @Test func startsOverWhenTheValidatorHasChanged() async throws {
        let other = RangedResource(size: Self.size, headers: ["ETag": #""v2""#], start: 7)
        serve(then: other)
        let recording = try await downloadTwice()
        try expectFile(other)
        #expect(recording.outline == ["over: changed", "progress", "finished"])
        #expect(ranges == [nil, "bytes=40000-"])
    }

    @Test func startsOverWhenTheServerIgnoresTheRange() async throws {
        serve(then: RangedResource(size: Self.size, acceptsRanges: false))
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["over: range-ignored", "progress", "finished"])
    }

    @Test(
        arguments: [
            ["ETag": #"W/"v1""#], ["ETag": "v1"], [:], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"],
            ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:38 GMT"],
            [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT",
                "Content-Encoding": "gzip",
            ],
            [
                "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 09:49:37 GMT",
                "ETag": #"W/"v1""#,
            ],
        ] as [HeaderFields]) func startsOverWithoutAStrongValidator(headers: HeaderFields) async throws
    {
        let resource = RangedResource(size: Self.size, headers: headers)
        serve(resource)
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["over: not-resumable", "progress", "finished"])
        #expect(ranges == [nil, nil])
    }

    @Test(arguments: [(#""version":1"#, #""version":2"#), (#""total":100000"#, #""total":-1"#)])
    func startsOverWithARecordThatCannotBeUsed(part: String, change: String) async throws {
        serve()
        _ = try await download()
        let record = try folder.text(of: "file.streams-part.json")
        #expect(record.contains(part))
        try folder.write(record.replacingOccurrences(of: part, with: change), to: "file.streams-part.json")
        let recording = try await download()
        try expectFile(resource)
        #expect(recording.outline == ["over: unknown-contents", "progress", "finished"])
        #expect(ranges == [nil, nil])
    }

    /// As after a crash between the renaming of the file and the removal of its record.
    @Test func ignoresARecordWithoutAFile() async throws {
        serve()
        _ = try await download()
        try FileManager.default.removeItem(atPath: "\(path).streams-part")
        #expect(try await download().outline == ["progress", "finished"])
        try expectFile(resource)
        #expect(ranges == [nil, nil])
    }

    @Test func startsOverWithAnotherURL() async throws {
        serve()
        server.on("GET", "/other", resource.whole)
        _ = try await download()
        let recording = try await download(from: "/other?x=1")
        try expectFile(resource)
        #expect(recording.outline == ["over: unknown-contents", "progress", "finished"])
        #expect(ranges == [nil, nil])
    }

    @Test func startsOverWithMoreThanTheWhole() async throws {
        serve()
        _ = try await download()
        let handle = try #require(FileHandle(forWritingAtPath: "\(path).streams-part"))
        try handle.truncate(atOffset: UInt64(Self.size) + 1)
        try handle.close()
        #expect(try await download().outline == ["over: unknown-contents", "progress", "finished"])
        try expectFile(resource)
    }

    /// The wrong parts, by their `Content-Range`; the right one is `bytes 40000-99999/100000`.
    @Test(arguments: [
        "bytes 0-59999/100000", "bytes 40001-99999/100000", "bytes 40000-99999/100001", "bytes 40000-99998/100000",
        "bytes 40000-99999/*", "bytes */100000", "items 40000-99999/100000", "bytes 99999-40000/100000", "",
        "bytes 40000-18446744073709551616/100000",
    ]) func startsOverAfterAnotherRange(contentRange: String) async throws {
        let resource = resource
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            case 2: resource.part(Self.broken..<Self.size, contentRange: contentRange)
            default: resource.reply(to: request)
            }
        }
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["over: range-mismatch", "progress", "finished"])
        #expect(ranges == [nil, "bytes=40000-", nil])
    }

    @Test func startsOverAfterAPartOfAnotherVersion() async throws {
        let (resource, other) = (resource, RangedResource(size: Self.size, headers: ["ETag": #""v2""#], start: 7))
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            // A server that ignores the condition.
            case 2: other.part(Self.broken..<Self.size)
            default: other.reply(to: request)
            }
        }
        let recording = try await downloadTwice()
        try expectFile(other)
        #expect(recording.outline == ["over: range-mismatch", "progress", "finished"])
    }

    @Test(arguments: ["bytes */99999", "bytes */40001", ""])
    func startsOverWhenTheRangeIsNotSatisfiable(contentRange: String) async throws {
        let resource = resource
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            case 2: Reply(416, headers: resource.headers.adding("Content-Range", contentRange))
            default: resource.reply(to: request)
            }
        }
        let recording = try await downloadTwice()
        try expectFile(resource)
        #expect(recording.outline == ["over: range-mismatch", "progress", "finished"])
    }

    @Test func completesPartsOfTheRange() async throws {
        let resource = resource
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            case 2: resource.part(Self.broken..<70_000)
            default: resource.reply(to: request)
            }
        }
        _ = try await downloadTwice()
        #expect(try folder.names == ["file.streams-part", "file.streams-part.json"])
        let recording = try await download()
        try expectFile(resource)
        #expect(recording.outline == ["resuming 70000", "progress", "finished"])
    }

    @Test func refusesAPartThatWasNotRequested() async throws {
        server.on("GET", "/", resource.part(0..<Self.size))
        #expect(try await download().failure?.name == "transfer.unexpected-range")
        #expect(try folder.names == [])
    }

    @Test func refusesMoreThanTheRange() async throws {
        let resource = resource
        var more = resource.part(Self.broken..<Self.size)
        more.body = .bytes([UInt8](repeating: 0, count: Self.size))
        more.body.framing = .chunked
        server.on("GET", "/") { [more] request in
            switch request.turn {
            case 1: resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            case 2: more
            default: resource.reply(to: request)
            }
        }
        let recording = try await downloadTwice()
        #expect(recording.failure?.name == "transfer.unexpected-range")
        // Nothing of it is resumed.
        #expect(try await download().outline == ["progress", "finished"])
        try expectFile(resource)
    }
}
