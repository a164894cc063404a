import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// Large bodies in constant memory. Each in a process of its own, where nobody else's memory counts.
@Suite(.needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct LargeBodyTests {
    /// The memory that a transfer may add to a process: an eighth of the size that would show that a body is kept.
    private static let allowance = 32 << 20

    /// The options of a connection to nginx, in clear text and with TLS.
    private static let options = RequestOptions.with {
        $0.connection.protocolPolicy = .http1
        $0.connection.trustRoots = .insecureAcceptAny
    }

    @Test(arguments: [false, true])
    func aLargeBodyIsDeliveredInConstantMemory(isSecure: Bool) async throws {
        let nginx = try await Nginx.withLargeFile.value
        let url = isSecure ? nginx.secureURL("/large") : nginx.url("/large")
        await #expect(processExitsWith: .success) { [url = url as String] in
            let request = HTTPRequest(.get, url, options: Self.options)
            let client = HTTPClient.alone
            Memory.resetPeak()
            let before = Memory.resident
            var body = GeneratedBodyCheck()
            for try await event in client.events(for: request).values {
                if case .chunk(let data) = event { body.accept(data) }
            }
            #expect(body.count == Nginx.largeCount && body.isExact)
            #expect(Memory.isDistorted || Memory.peak - before < Self.allowance, "\(Memory.peak - before) bytes")
        }
    }

    @Test(arguments: [false, true])
    func aLargeFileIsSentInConstantMemory(isSecure: Bool) async throws {
        let count = 256 << 20
        let nginx = try await Nginx.shared.value
        let folder = try ServerFolder("upload")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try folder.writeGenerated(0..<count, to: "body")
        let url = isSecure ? nginx.secureURL("/put/large") : nginx.url("/put/large")
        let path = folder.path("body")
        await #expect(processExitsWith: .success) { [url = url as String, path = path as String] in
            let request = HTTPRequest(.put, url, body: .file(path), options: Self.options)
            let client = HTTPClient.alone
            Memory.resetPeak()
            let before = Memory.resident
            var fractions: [Double?] = []
            for try await event in client.events(for: request).values {
                if case .uploadProgress(let progress) = event { fractions.append(progress.fraction) }
            }
            #expect(fractions.last == 1)
            #expect(fractions.count > 10)
            #expect(fractions.allSatisfy { $0 != nil })
            #expect(fractions.compactMap(\.self) == fractions.compactMap(\.self).sorted())
            #expect(Memory.isDistorted || Memory.peak - before < Self.allowance, "\(Memory.peak - before) bytes")
        }
        let stored = try FileManager.default.attributesOfItem(atPath: nginx.stored("large"))
        #expect((stored[.size] as? NSNumber)?.intValue == count)
        #expect(FileManager.default.contentsEqual(atPath: nginx.stored("large"), andPath: path))
    }

    @Test(arguments: [false, true])
    func sendsLargeCompressedFileInConstantMemory(isSecure: Bool) async throws {
        let nginx = try await Nginx.shared.value
        let url = isSecure ? nginx.secureURL("/put/compressed") : nginx.url("/put/compressed")
        let folder = try ServerFolder("compressed")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        var random = SystemRandomNumberGenerator()
        // Half of each byte is the same. The size is a prime, so that moved buffers show in the repeated part.
        let part = Data((0..<1_048_573).map { _ in UInt8.random(in: 0..<16, using: &random) })
        var content = Data(capacity: 100 << 20)
        for _ in 0..<100 { content.append(part) }
        try folder.write(content, to: "body")
        let path = folder.path("body")
        await #expect(processExitsWith: .success) { [url = url as String, path = path as String] in
            let request = HTTPRequest(.put, url, body: .file(path).compressed(.gzip(level: 1)), options: Self.options)
            let client = HTTPClient.alone
            Memory.resetPeak()
            let before = Memory.resident
            var last: TransferProgress?
            for try await event in client.events(for: request).values {
                if case .uploadProgress(let progress) = event { last = progress }
            }
            // The compressed bytes count, and their number is not known before the end.
            #expect(last?.fraction == nil)
            #expect(last.map { $0.completed > 40 << 20 && $0.completed < 70 << 20 } == true)
            #expect(Memory.isDistorted || Memory.peak - before < Self.allowance, "\(Memory.peak - before) bytes")
        }
        try FileManager.default.copyItem(atPath: nginx.stored("compressed"), toPath: folder.path("stored.gz"))
        try Program.gzip.run(["-d", "stored.gz"], in: folder)
        #expect(FileManager.default.contentsEqual(atPath: folder.path("stored"), andPath: path))
    }

    @Test func aFormWithLargeFilesIsSentInConstantMemory() async throws {
        let nginx = try await Nginx.shared.value
        let folder = try ServerFolder("form")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let size = 128 << 20
        for number in 0..<2 {
            try folder.writeGenerated(number * size..<(number + 1) * size, to: "part\(number)")
        }
        let (url, path) = (nginx.url("/put/form"), folder.path("part"))
        await #expect(processExitsWith: .success) { [url = url as String, path = path as String] in
            let form = MultipartForm((0..<2).map { .file("f\($0)", path: "\(path)\($0)", contentType: nil) })
            let request = try HTTPRequest(.put, url).settingBody(.multipart(form, boundary: "b"))
            let client = HTTPClient.alone
            Memory.resetPeak()
            let before = Memory.resident
            var last: TransferProgress?
            for try await event in client.events(for: request).values {
                if case .uploadProgress(let progress) = event { last = progress }
            }
            // The length is known before the first byte is sent.
            #expect(last?.fraction == 1)
            #expect(last.map { $0.completed > 256 << 20 } == true)
            #expect(Memory.isDistorted || Memory.peak - before < Self.allowance, "\(Memory.peak - before) bytes")
        }
        let stored = try FileHandle(forReadingFrom: URL(filePath: nginx.stored("form")))
        defer { try? stored.close() }
        func read(_ count: Int) throws -> Data { try stored.read(upToCount: count) ?? Data() }
        var body = GeneratedBodyCheck()
        for number in 0..<2 {
            let name = "name=\"f\(number)\"; filename=\"part\(number)\""
            let head = Data("--b\r\nContent-Disposition: form-data; \(name)\r\n\r\n".utf8)
            #expect(try read(head.count) == head)
            for _ in 0..<size >> 20 { body.accept(try read(1 << 20)) }
            #expect(try read(2) == Data("\r\n".utf8))
        }
        #expect(body.count == 2 * size && body.isExact)
        #expect(try read(100) == Data("--b--\r\n".utf8))
    }

    @Test func aFileArrivesByteForByte() async throws {
        let nginx = try await Nginx.shared.value
        let folder = try ServerFolder("upload")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        let body = Data(GeneratedBytes.bytes(0..<3_000_000))
        try folder.write(body, to: "body")
        let request = HTTPRequest(.put, nginx.url("/put/exact"), body: .file(folder.path("body")))
        #expect(try await HTTPClient.alone.response(for: request).status == .created)
        let isExact = FileManager.default.contents(atPath: nginx.stored("exact")) == body
        #expect(isExact)
    }
}
#endif
