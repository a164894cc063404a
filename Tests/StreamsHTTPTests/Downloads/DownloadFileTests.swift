import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Paths that a download cannot or must not write to.
@Suite(.reservesDescriptors) struct DownloadFileTests {
    private let server: LoopbackServer
    private let folder: ScratchFolder
    private let path: String

    init() throws {
        server = try LoopbackServer()
        folder = try ScratchFolder()
        path = "\(folder.path)/file"
        server.on("GET", "/", .generated(1000))
    }

    /// The system's error of a download, before which nothing has been sent.
    private func code(of path: String) async throws -> CInt? {
        let error = try await failure { () async throws(HTTPError) in
            try await server.client().downloadFile(for: HTTPRequest(.get, "/"), to: path)
        }
        #expect(server.requests.isEmpty)
        #expect(error.name == "thrown.file" && !error.isRetryable)
        guard case .thrown(let error as FileError, by: .file) = error.reason else { return nil }
        return error.code
    }

    @Test func refusesAFolder() async throws {
        #expect(try await code(of: folder.path) == EISDIR)
    }

    @Test func refusesAPathWithoutAFolder() async throws {
        try folder.write("", to: "plain")
        #expect(try await code(of: "\(folder.path)/none/file") == ENOENT)
        #expect(try await code(of: "\(folder.path)/plain/file") == ENOTDIR)
        #expect(try await code(of: "\(folder.path)/none/") == ENOENT)
        #expect(try await code(of: "") == ENOENT)
    }

    @Test func refusesAPathWithANUL() async throws {
        #expect(try await code(of: "\(path)\0b") == EINVAL)
        #expect(try folder.names == [])
    }

    @Test func refusesAFileSystemThatCannotBeWrittenTo() async throws {
        #expect([EROFS, EACCES, EPERM, ENOENT].contains(try await code(of: "/proc/self/file")))
    }

    @Test func followsNoLinkAtThePartialPath() async throws {
        try folder.write("precious", to: "victim")
        try FileManager.default.createSymbolicLink(
            atPath: "\(path).streams-part", withDestinationPath: "\(folder.path)/victim")
        #expect(try await code(of: path) == ELOOP)
        #expect(try folder.text(of: "victim") == "precious")
    }

    @Test func sharesNoFileAtThePartialPath() async throws {
        try folder.write("precious", to: "victim")
        #expect(link("\(folder.path)/victim", "\(path).streams-part") == 0)
        #expect(try await code(of: path) == EMLINK)
        #expect(try folder.text(of: "victim") == "precious")
    }

    @Test func waitsForNoPipeAtThePartialPath() async throws {
        #expect(mkfifo("\(path).streams-part", 0o600) == 0)
        #expect(try await code(of: path) == EINVAL)
    }

    @Test func refusesTheFieldsOfRanges() async throws {
        for name in ["Range", "if-range"] {
            let request = HTTPRequest(
                .get, "/", headers: HTTPHeaders([HTTPHeaders.Field(name: name, value: "bytes=0-")]))
            let error = try await failure { () async throws(HTTPError) in
                try await server.client().downloadFile(for: request, to: path)
            }
            #expect(error.name == "invalid-request.framing-header")
        }
        #expect(server.requests.isEmpty)
        #expect(try folder.names == [])
    }
}

#if os(Linux)
/// A folder that cannot be written to, in a process of its own, which gives up an administrator's rights for a while.
@Suite(.serialized, .reservesDescriptors) struct UnwritableFolderTests {
    @Test func refusesAFolderThatCannotBeWrittenTo() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            let folder = try ScratchFolder()
            let isAdministrator = geteuid() == 0
            #expect(chmod(folder.path, 0o555) == 0)
            if isAdministrator { #expect(seteuid(65534) == 0) }
            let error = try await failure { () async throws(HTTPError) in
                try await server.client().downloadFile(for: HTTPRequest(.get, "/"), to: "\(folder.path)/file")
            }
            if isAdministrator { #expect(seteuid(0) == 0) }
            #expect(chmod(folder.path, 0o700) == 0)
            guard case .thrown(let error as FileError, by: .file) = error.reason else {
                Issue.record("\(error)")
                return
            }
            #expect(error.code == EACCES && error.path == "\(folder.path)/file.streams-part")
            #expect(server.requests.isEmpty)
        }
    }
}
#endif
