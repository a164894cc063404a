import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Downloads to the path of a file that may be complete already.
extension DownloadTests {
    private static let date: HeaderFields = [
        "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
    ]

    /// The number of the file at the path, which a replacement changes.
    private var fileNumber: Int? {
        get throws { try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int }
    }

    /// Serves a resource, and downloads it.
    private func downloadFirst(_ resource: RangedResource, then second: RangedResource? = nil) async throws {
        server.on("GET", "/") { ($0.turn == 1 ? resource : second ?? resource).reply(to: $0) }
        #expect(try await download().file?.wasComplete == false)
        try expectFile(resource)
    }

    /// Expects that a second download leaves the file as it is, because of a response.
    private func expectComplete(
        by status: HTTPStatus?, _ options: DownloadOptions = DownloadOptions(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let number = try fileNumber
        let recording = try await download(options)
        #expect(
            recording.outline == ["resuming \(Self.size)", "progress", "finished"], sourceLocation: sourceLocation)
        #expect(recording.progress.last?.fraction == 1, sourceLocation: sourceLocation)
        let file = try #require(recording.file, sourceLocation: sourceLocation)
        #expect(file.wasComplete && file.receivedBytes == 0 && file.size == Self.size, sourceLocation: sourceLocation)
        #expect(file.response?.status == status, sourceLocation: sourceLocation)
        #expect(try fileNumber == number, sourceLocation: sourceLocation)
        try expectFile(resource, sourceLocation: sourceLocation)
    }

    /// Expects that the last request asks for the whole without a condition.
    private func expectUnconditional(sourceLocation: SourceLocation = #_sourceLocation) {
        for name in ["Range", "If-Range", "If-None-Match"] {
            #expect(server.requests.last?.headers[name] == nil, sourceLocation: sourceLocation)
        }
    }

    // MARK: By the record

    @Test func leavesAFileWithTheSameTag() async throws {
        try await downloadFirst(resource)
        try await expectComplete(by: .notModified)
        #expect(server.requests.last?.headers["If-None-Match"] == #""v1""#)
        #expect(server.requests.last?.headers["If-Range"] == #""v1""#)
        #expect(server.requests.last?.headers["Range"] == "bytes=100000-")
    }

    @Test func leavesAFileOfWhichNothingIsMissing() async throws {
        try await downloadFirst(RangedResource(size: Self.size, acceptsConditions: false))
        try await expectComplete(by: .rangeNotSatisfiable)
    }

    @Test func leavesAFileWithTheSameDate() async throws {
        try await downloadFirst(RangedResource(size: Self.size, headers: Self.date))
        try await expectComplete(by: .rangeNotSatisfiable)
        #expect(server.requests.last?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// The head of a whole response tells that the file is the same.
    @Test(arguments: [["ETag": #""v1""#], date]) func leavesAFileWhenTheServerIgnoresConditions(
        headers: HeaderFields
    ) async throws {
        try await downloadFirst(
            RangedResource(size: Self.size, headers: headers, acceptsRanges: false, acceptsConditions: false))
        try await expectComplete(by: .ok)
    }

    @Test func leavesAFileThatWasResumed() async throws {
        serve()
        #expect(try await downloadTwice().outline == ["resuming 40000", "progress", "finished"])
        try await expectComplete(by: .notModified)
    }

    @Test func groupsDoNotCountACompleteFileAsReceived() async throws {
        try await downloadFirst(resource)
        let group = ProgressGroup()
        let recorder = DownloadRecorder()
        server.client().download(for: HTTPRequest(.get, "/"), to: path).tracking(in: group).subscribe(recorder)
        #expect(try await recorder.finished().file?.wasComplete == true)
        #expect(group.progress.fraction == 1 && group.progress.transfer.completed == Int64(Self.size))
    }

    @Test func givesACompleteFileItsPermissions() async throws {
        try await downloadFirst(resource)
        var options = DownloadOptions()
        options.permissions = 0o640
        try await expectComplete(by: .notModified, options)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        // The record is still valid.
        try await expectComplete(by: .notModified, options)
    }

    @Test func replacesAFileThatTheServerHasChanged() async throws {
        let other = RangedResource(size: Self.size, headers: ["ETag": #""v2""#], start: 7)
        try await downloadFirst(resource, then: other)
        let recording = try await download()
        #expect(recording.outline == ["over: changed", "progress", "finished"])
        #expect(recording.file?.wasComplete == false && recording.file?.receivedBytes == Int64(Self.size))
        try expectFile(other)
    }

    /// A server may answer 304 to a tag that is weak by now, whose contents need not be the same.
    @Test func replacesAFileAfterA304WithAnotherTag() async throws {
        let other = RangedResource(size: Self.size, headers: ["ETag": #"W/"v1""#], start: 7)
        let resource = resource
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole
            case 2: Reply(304, headers: other.headers)
            default: other.reply(to: request)
            }
        }
        _ = try await download()
        #expect(try await download().outline == ["over: changed", "progress", "finished"])
        try expectFile(other)
        expectUnconditional()
    }

    @Test(arguments: [true, false]) func replacesAFileAfterAnotherRange(isSatisfiable: Bool) async throws {
        let resource = resource
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole
            // More than there was, with the same tag.
            case 2 where isSatisfiable: RangedResource(size: Self.size + 1).part(Self.size..<Self.size + 1)
            case 2: Reply(416, headers: resource.headers.adding("Content-Range", "bytes */100001"))
            default: resource.reply(to: request)
            }
        }
        _ = try await download()
        #expect(try await download().outline == ["over: range-mismatch", "progress", "finished"])
        try expectFile(resource)
        expectUnconditional()
    }

    /// In place, and to contents of the same length.
    @Test func replacesAFileThatHasBeenChanged() async throws {
        try await downloadFirst(resource)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.write(contentsOf: Data("changed".utf8))
        try handle.close()
        #expect(try await download().outline == ["progress", "finished"])
        try expectFile(resource)
        expectUnconditional()
    }

    @Test func replacesAFileThatNoDownloadHasWritten() async throws {
        try Data(count: Self.size).write(to: URL(filePath: path))
        try await downloadFirst(resource)
        expectUnconditional()
    }

    @Test(arguments: [["ETag": #"W/"v1""#], [:], ["Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]] as [HeaderFields])
    func replacesAFileWithoutAStrongValidator(headers: HeaderFields) async throws {
        try await downloadFirst(RangedResource(size: Self.size, headers: headers))
        #expect(try await download().outline == ["progress", "finished"])
        try expectFile(resource)
        expectUnconditional()
    }

    @Test func replacesAFileOfAnotherURL() async throws {
        try await downloadFirst(resource)
        server.on("GET", "/other", resource.whole)
        #expect(try await download(from: "/other").outline == ["progress", "finished"])
        try expectFile(resource)
        expectUnconditional()
    }

    @Test func downloadsAFileThatIsRemovedMeanwhile() async throws {
        let (resource, path) = (resource, path)
        server.on("GET", "/") { request in
            if request.turn == 2 { try? FileManager.default.removeItem(atPath: path) }
            return resource.reply(to: request)
        }
        _ = try await download()
        #expect(try await download().outline == ["over: unknown-contents", "progress", "finished"])
        try expectFile(resource)
    }

    /// As after a crash between the renaming of the file and the removal of its record.
    @Test func leavesACompleteFileWithAnOldRecord() async throws {
        serve()
        _ = try await download()
        let record = try folder.text(of: "file.streams-part.json")
        _ = try await download()
        try folder.write(record, to: "file.streams-part.json")
        try await expectComplete(by: .notModified)
    }

    // MARK: By a checksum

    @Test func leavesAFileWithTheChecksum() async throws {
        try Data(resource.bytes).write(to: URL(filePath: path))
        let options = DownloadOptions(checksum: FileChecksum(sha256: resource.bytes))
        try await expectComplete(by: nil, options)
        #expect(server.requests.isEmpty)
        #expect(try await download(options).file?.isVerified == true)
    }

    @Test func replacesAFileWithAnotherChecksum() async throws {
        let other = RangedResource(size: Self.size, start: 7)
        try await downloadFirst(other, then: resource)
        let recording = try await download(DownloadOptions(checksum: FileChecksum(sha256: resource.bytes)))
        #expect(recording.outline == ["progress", "finished"])
        #expect(recording.file?.isVerified == true && recording.file?.wasComplete == false)
        try expectFile(resource)
        expectUnconditional()
    }

    @Test func replacesALinkToAFileWithTheChecksum() async throws {
        try Data(resource.bytes).write(to: URL(filePath: "\(folder.path)/other"))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/other")
        server.on("GET", "/", resource.whole)
        let recording = try await download(DownloadOptions(checksum: FileChecksum(sha256: resource.bytes)))
        #expect(recording.outline == ["progress", "finished"])
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
    }
}
