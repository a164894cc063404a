import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The files beside a download's target: those of other programs, and those of other downloads.
@Suite(.reservesDescriptors) struct PartialPathsTests {
    /// An object at one of the download's paths that is none of its files.
    enum Stranger: CaseIterable {
        case text
        case json
        case folder
        case link
        case danglingLink
        case hardLink
        case pipe
        case otherOwner
    }

    private static let suffixes = [".streams-part", ".streams-part.json", ".streams-part.json.new"]

    private let server: LoopbackServer
    private let folder: ScratchFolder
    private let path: String
    private let resource = RangedResource(size: 50_000)

    init() throws {
        server = try LoopbackServer()
        folder = try ScratchFolder()
        path = "\(folder.path)/file"
        let resource = resource
        server.otherwise { resource.reply(to: $0) }
    }

    private func download(_ target: String = "/", to path: String) async throws -> DownloadRecording {
        try await DownloadRecorder.record(server.client().download(for: HTTPRequest(.get, target), to: path))
    }

    /// Leaves a partial file, and returns its contents.
    private func breakOff(to path: String) async throws -> Data {
        server.on("GET", "/", resource.whole.failing(with: .close(at: .inBody(after: 20_000))))
        #expect(try await download(to: path).failure?.name == "transfer.body-ended-early")
        let resource = resource
        server.on("GET", "/") { resource.reply(to: $0) }
        let contents = try Data(contentsOf: URL(filePath: "\(path).streams-part"))
        #expect(contents == Data(resource.bytes.prefix(20_000)))
        return contents
    }

    private func code(of recording: DownloadRecording) -> CInt? {
        guard case .thrown(let error as FileError, by: .file) = recording.failure?.reason else { return nil }
        return error.code
    }

    private func place(_ stranger: Stranger, at name: String) throws {
        let path = "\(folder.path)/\(name)"
        switch stranger {
        case .text: try folder.write("precious", to: name)
        case .json: try folder.write(#"{"version":1,"url":"https://example.com/"}"#, to: name)
        case .folder: try folder.write("precious", to: "\(name)/file")
        case .link:
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: "\(folder.path)/victim")
        case .danglingLink:
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(folder.path)/none")
        case .hardLink: #expect(link("\(folder.path)/victim", path) == 0)
        case .pipe: #expect(mkfifo(path, 0o600) == 0)
        case .otherOwner:
            try folder.write("", to: name)
            #expect(chown(path, 65534, gid_t.max) == 0)
        }
    }

    /// The number, size and contents of each object in the folder.
    private func state() throws -> [String: [String]] {
        var state: [String: [String]] = [:]
        for name in try folder.names {
            var status = stat()
            #expect(lstat("\(folder.path)/\(name)", &status) == 0)
            let isFile = status.st_mode & S_IFMT == S_IFREG
            let contents = isFile ? try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")) : Data()
            state[name] = ["\(status.st_ino)", "\(status.st_size)", contents.base64EncodedString()]
        }
        return state
    }

    @Test(arguments: Stranger.allCases, suffixes) func leavesWhatIsNotADownloads(
        stranger: Stranger, suffix: String
    ) async throws {
        // Only an administrator can make a file another user's.
        if stranger == .otherOwner, geteuid() != 0 { return }
        try folder.write("precious", to: "victim")
        try place(stranger, at: "file\(suffix)")
        let before = try state()
        let recording = try await download(to: path)
        let expected =
            switch stranger {
            case .text, .json: EEXIST
            case .folder: EISDIR
            case .link, .danglingLink: ELOOP
            case .hardLink: EMLINK
            case .pipe: EINVAL
            case .otherOwner: EPERM
            }
        #expect(code(of: recording) == expected)
        #expect(try state() == before)
        #expect(server.requests.isEmpty)
    }

    /// A record as another program, or a damaged disk, could have left it.
    @Test(arguments: [nil, "", "{", #"{"version":1}"#, "[]", "\0\0\0\0"])
    func leavesContentsWithoutTheirRecord(record: String?) async throws {
        let contents = try await breakOff(to: path)
        let recordPath = "\(path).streams-part.json"
        try FileManager.default.removeItem(atPath: recordPath)
        if let record { try folder.write(record, to: "file.streams-part.json") }
        let before = try state()
        #expect(code(of: try await download(to: path)) == EEXIST)
        #expect(try state() == before)
        #expect(try Data(contentsOf: URL(filePath: "\(path).streams-part")) == contents)
        #expect(server.requests.count == 1)
    }

    @Test func leavesTheFilesOfOtherPrograms() async throws {
        let names = ["file.part", "file.part.json", "file.part.json.new", ".file.part", "file.tmp", "file.download"]
        for name in names { try folder.write("precious", to: name) }
        _ = try await breakOff(to: path)
        #expect(try await download(to: path).failure == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == (names + ["file"]).sorted())
        for name in names { #expect(try folder.text(of: name) == "precious") }
    }

    @Test func downloadsFilesWithTheNamesOfOtherProgramsFiles() async throws {
        let names = ["x", "x.part", "x.part.json", "x.part.json.new"]
        _ = try await breakOff(to: "\(folder.path)/x")
        let recorders = names.map { name in
            let recorder = DownloadRecorder()
            server.client().download(for: HTTPRequest(.get, "/"), to: "\(folder.path)/\(name)").subscribe(recorder)
            return recorder
        }
        for recorder in recorders { #expect(try await recorder.finished().failure == nil) }
        #expect(try folder.names == names)
        for name in names {
            #expect(try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")) == Data(resource.bytes))
        }
    }

    @Test(arguments: suffixes + suffixes.map { $0.uppercased() })
    func refusesTheNameOfAnotherDownloadsFile(suffix: String) async throws {
        let contents = try await breakOff(to: path)
        #expect(code(of: try await download(to: path + suffix)) == EINVAL)
        #expect(try Data(contentsOf: URL(filePath: "\(path).streams-part")) == contents)
        #expect(try await download(to: path).outline.first == "resuming 20000")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
    }

    @Test func aSecondDownloadByAnotherPathIsRefused() async throws {
        let gate = Gate()
        var reply = resource.whole
        reply.body.pieces = [.generated(25_000), .hold(gate), .generated(25_000)]
        server.on("GET", "/", reply)
        let first = DownloadRecorder(of: server.client().download(for: HTTPRequest(.get, "/"), to: path))
        try await first.recording.wait(for: "the first part") { !$0.progress.isEmpty }
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/link", withDestinationPath: folder.path)
        for other in ["\(folder.path)/./file", "\(folder.path)//file", "\(folder.path)/link/file"] {
            #expect(try await download(to: other).failure?.name == "invalid-request.download-in-progress")
        }
        gate.open()
        #expect(try await first.finished().failure == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == ["file", "link"])
    }

    /// The record of an earlier download, and the next one that a crash has left.
    @Test func removesItsOwnRecords() async throws {
        _ = try await breakOff(to: path)
        let record = try folder.text(of: "file.streams-part.json")
        try folder.write(record, to: "file.streams-part.json.new")
        #expect(try await download(to: path).outline.first == "resuming 20000")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == ["file"])
        try folder.write(record, to: "file.streams-part.json")
        try folder.write("", to: "file.streams-part.json.new")
        #expect(try await download(to: path).file?.wasComplete == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == ["file"])
    }

    @Test(arguments: [
        String(repeating: "n", count: 215), String(repeating: "n", count: 216), String(repeating: "n", count: 255),
        String(repeating: "ö", count: 127) + "n", "n" + String(repeating: "ö", count: 127),
        String(repeating: "😀", count: 63) + "nnn",
    ]) func downloadsAndResumesFilesWithLongNames(name: String) async throws {
        let path = "\(folder.path)/\(name)"
        server.on("GET", "/", resource.whole.failing(with: .close(at: .inBody(after: 20_000))))
        #expect(try await download(to: path).failure?.name == "transfer.body-ended-early")
        #expect(try folder.names.count == 2)
        let resource = resource
        server.on("GET", "/") { resource.reply(to: $0) }
        let recording = try await download(to: path)
        #expect(recording.outline == ["resuming 20000", "progress", "finished"])
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == [name])
    }

    @Test func longNamesWithOneBeginningAreDifferentFiles() async throws {
        let beginning = String(repeating: "n", count: 250)
        let paths = ["a", "b"].map { "\(folder.path)/\(beginning)\($0)" }
        server.on("GET", "/", resource.whole.failing(with: .close(at: .inBody(after: 20_000))))
        for path in paths { _ = try await download(to: path) }
        #expect(try folder.names.count == 4)
    }

    @Test func refusesANameThatIsTooLong() async throws {
        let name = String(repeating: "n", count: 256)
        #expect(code(of: try await download(to: "\(folder.path)/\(name)")) == ENAMETOOLONG)
        #expect(server.requests.isEmpty)
        #expect(try folder.names == [])
    }
}
