import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Downloads that are verified by a checksum of the options or by the server's digests.
extension DownloadTests {
    @Test func verifiesTheChecksumOfWhatWasResumed() async throws {
        serve()
        let recording = try await downloadTwice(DownloadOptions(checksum: FileChecksum(sha256: resource.bytes)))
        try expectFile(resource)
        #expect(recording.outline == ["resuming 40000", "progress", "finished"])
        #expect(recording.file?.isVerified == true)
    }

    @Test func removesAFileWithAnotherChecksum() async throws {
        let checksum = FileChecksum(sha256: [1, 2, 3])
        serve()
        let recording = try await downloadTwice(DownloadOptions(checksum: checksum))
        guard case .transfer(.checksumMismatch(expected: checksum)) = recording.failure?.reason else {
            Issue.record("\(recording)")
            return
        }
        #expect(try folder.names == [])
    }

    /// The contents of the partial file are not those of the server, as after a power failure.
    @Test func noticesWhatHasChangedOnTheDisk() async throws {
        serve()
        let options = DownloadOptions(checksum: FileChecksum(sha256: resource.bytes))
        _ = try await download(options)
        try Data(count: Self.broken).write(to: URL(filePath: "\(path).streams-part"))
        #expect(try await download(options).failure?.name == "transfer.checksum-mismatch")
        #expect(try folder.names == [])
        #expect(try await download(options).outline == ["progress", "finished"])
        try expectFile(resource)
    }

    @Test(arguments: ["Repr-Digest", "Content-Digest"], [false, true])
    func verifiesTheDigestsOfTheServer(name: String, isTrailer: Bool) async throws {
        let digest = FileChecksum(sha256: resource.bytes)
        let wrong = FileChecksum(sha256: [1])
        for (checksum, isRight) in [(digest, true), (wrong, false)] {
            var reply = resource.whole
            if isTrailer {
                reply.body.framing = .chunked
                reply = reply.with(trailers: [name: checksum.field])
            } else {
                reply.headers.append(name, "md5=:AAAA:, \(checksum.field)")
            }
            server.on("GET", "/", reply)
            let recording = try await download()
            if isRight {
                try expectFile(resource)
                #expect(recording.file?.isVerified == true)
                try FileManager.default.removeItem(atPath: path)
            } else {
                #expect(recording.failure?.name == "transfer.checksum-mismatch")
                #expect(try folder.names == [])
            }
        }
    }

    /// The digest of a part is that of the part, and the other one is that of the whole (RFC 9530, sections 2 and 3).
    @Test(arguments: [true, false]) func verifiesTheDigestsOfAPart(isRight: Bool) async throws {
        let part = GeneratedBytes.bytes(Self.broken..<Self.size)
        let digest = FileChecksum(sha256: isRight ? part : resource.bytes)
        let whole = FileChecksum(sha256: resource.bytes)
        let resource = resource
        var reply = resource.part(Self.broken..<Self.size)
        reply.headers.append("Content-Digest", digest.field)
        reply.headers.append("Repr-Digest", whole.field)
        let first = resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
        server.on("GET", "/", first, reply)
        let recording = try await downloadTwice()
        if isRight {
            try expectFile(resource)
            #expect(recording.file?.isVerified == true)
        } else {
            #expect(recording.failure?.name == "transfer.checksum-mismatch")
            #expect(try folder.names == [])
        }
    }
}

extension FileChecksum {
    /// The checksum of bytes.
    init(sha256 bytes: [UInt8]) {
        var hash = SHA2(.sha256)
        bytes.withUnsafeBytes { hash.update($0) }
        self.init(hash)
    }

    /// The checksum as a member of a `Repr-Digest`.
    var field: String { "sha-256=:\(Data(digest).base64EncodedString()):" }
}
