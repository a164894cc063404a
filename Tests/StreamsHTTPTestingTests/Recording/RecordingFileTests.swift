import Foundation
import StreamsHTTP
import StreamsHTTPTesting
import Testing

/// The files of a recording are their owner's alone, and lead nowhere else.
@Suite struct RecordingFileTests {
    private let folder: ScratchFolder
    private let mock = MockTransport()

    init() throws {
        folder = try ScratchFolder()
        mock.on(nil, "/**", .text("hello"))
    }

    private func record(into path: String) async throws {
        let recording = try RecordingTransport(wrapping: mock, into: path)
        let client = HTTPClient(configuration: HTTPClient.Configuration(), transport: recording)
        _ = try await client.response(for: HTTPRequest(.get, "http://h/p"))
        try await recording.finish()
    }

    private func mode(of path: String) throws -> mode_t {
        var status = stat()
        try #require(lstat(path, &status) == 0)
        return status.st_mode
    }

    @Test func followsNoLinks() async throws {
        try folder.write("precious", to: "target")
        for name in ["session.json", "0001-GET-p.json"] {
            for link in [name, name + ".unfinished"] {
                try #require(symlink("\(folder.path)/target", "\(folder.path)/\(link)") == 0)
            }
        }
        try await record(into: folder.path)
        #expect(try folder.text(of: "target") == "precious")
        #expect(try RecordedSession(path: folder.path).exchanges.count == 1)
        for name in ["session.json", "0001-GET-p.json"] {
            #expect(try mode(of: "\(folder.path)/\(name)") == S_IFREG | 0o600)
        }
    }

    @Test func ownerAloneHasAccess() async throws {
        try await record(into: "\(folder.path)/a/b")
        #expect(try mode(of: "\(folder.path)/a") == S_IFDIR | 0o700)
        #expect(try mode(of: "\(folder.path)/a/b") == S_IFDIR | 0o700)
        #expect(try mode(of: "\(folder.path)/a/b/session.json") == S_IFREG | 0o600)
    }

    @Test func leavesNothingUnfinished() async throws {
        try folder.write("", to: "s/0001-GET-p.json/blocked")
        await #expect(throws: FileError.self) { try await record(into: "\(folder.path)/s") }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/s").sorted() == [
                "0001-GET-p.json", "session.json",
            ])
    }
}
