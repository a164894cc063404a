import Exchanging
import Foundation
import Measuring
import StreamsLoopback

/// An nginx on loopback ports of its own, with files of its own. It ends when this object is released.
final class Server {
    let plainURL: String
    /// The same files at another port, which is another server to a client.
    let secondURL: String
    let secureURL: String
    /// The number of its processes, each of which uses at most one core.
    let workerCount: Int
    /// The path of a generated file of one gibibyte.
    let largeFile: String

    private let folder: String
    private let caches: String
    private let process = Process()
    private var feedServer: FeedServerProgram?
    private var secureFeedServer: FeedServerProgram?
    private var interruptions: [any DispatchSourceSignal] = []

    static let largeSize = 1 << 30
    /// The sizes of generated files that clients compare before they are measured: those around buffers and TLS records.
    static let exactSizes = [
        1, 16_383, 16_384, 16_385, 32_768, 65_535, 65_536, 65_537, 66_000, 70_000, 98_304, 100_000, 114_688, 128_000,
        131_071, 131_072, 131_073, 200_000, 262_144, 300_001, 1_000_000,
    ]

    /// - Parameters:
    ///   - configuration: The path of the template of nginx's configuration.
    ///   - workerCount: The number of its processes.
    init(configuration: String, workerCount: Int) throws {
        self.workerCount = workerCount
        // In memory if possible, because the disk is not measured.
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        folder = "\(parent)/streams-benchmarks-\(ProcessInfo.processInfo.processIdentifier)"
        caches = "\(NSTemporaryDirectory())/streams-benchmarks-\(ProcessInfo.processInfo.processIdentifier)-caches"
        let (plain, second, secure) = (try Self.freePort(), try Self.freePort(), try Self.freePort())
        plainURL = "http://127.0.0.1:\(plain)"
        secondURL = "http://127.0.0.1:\(second)"
        secureURL = "https://127.0.0.1:\(secure)"
        largeFile = "\(folder)/files/large"
        for path in ["files/slow", "files/upload", "files/exact", "body"] {
            try FileManager.default.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        for path in ["files/upload", "body"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: "\(folder)/\(path)")
        }
        let document = try JSONEncoder().encode(Document.sample)
        try document.write(to: URL(fileURLWithPath: "\(folder)/files/document.json"))
        try document.write(to: URL(fileURLWithPath: "\(folder)/files/slow/document.json"))
        try Self.writeGenerated(Self.largeSize, to: largeFile)
        for size in Self.exactSizes { try Self.writeGenerated(size, to: "\(folder)/files/exact/\(size)") }
        try Self.makeCertificate(in: folder)
        let text = try String(contentsOfFile: configuration, encoding: .utf8)
            .replacingOccurrences(of: "FOLDER", with: folder)
            .replacingOccurrences(of: "WORKERS", with: "\(workerCount)")
            .replacingOccurrences(of: "PLAIN", with: "\(plain)")
            .replacingOccurrences(of: "SECOND", with: "\(second)")
            .replacingOccurrences(of: "SECURE", with: "\(secure)")
        try text.write(toFile: "\(folder)/nginx.conf", atomically: true, encoding: .utf8)
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["nginx", "-c", "\(folder)/nginx.conf"]
        process.standardError = FileHandle.nullDevice
        try process.run()
        try waitUntilReady(port: plain)
        stopOnInterruption()
    }

    /// Ends the server, and removes its files.
    func stop() {
        process.terminate()
        process.waitUntilExit()
        (feedServer, secureFeedServer) = (nil, nil)
        for path in [folder, caches] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Returns the URL of a file of events, which is created if there is none.
    func eventsURL(_ events: NumberedEvents) throws -> String {
        let name = "\(events.count)-\(events.size).events"
        if !FileManager.default.fileExists(atPath: "\(folder)/files/\(name)") {
            try events.write(toFile: "\(folder)/files/\(name)")
        }
        return "\(plainURL)/\(name)"
    }

    /// The URL of a feed with an event every ten seconds, whose server is a process of its own.
    var feedURL: String {
        get throws {
            let server = try feedServer ?? FeedServerProgram()
            feedServer = server
            return server.url
        }
    }

    /// The URL of such a feed over TLS.
    var secureFeedURL: String {
        get throws {
            let identity = (certificate: "\(folder)/certificate.pem", key: "\(folder)/key.pem")
            let server = try secureFeedServer ?? FeedServerProgram(identity: identity)
            secureFeedServer = server
            return server.url
        }
    }

    /// Returns the URL of the folder with files of ``exactSizes``, on the same port as another URL, and for a cache if
    /// that is.
    func exactURL(like url: String) -> String {
        if url.hasPrefix("\(plainURL)/cached/") { return "\(plainURL)/cached/exact" }
        return "\(url.hasPrefix(secureURL) ? secureURL : plainURL)/exact"
    }

    /// Returns the path of a folder on the disk for the cache of a side, which is created if there is none.
    func cacheFolder(of side: Side) throws -> String {
        let path = "\(caches)/\(side.rawValue)"
        let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true, attributes: rights)
        return path
    }

    /// Compares the uploaded file with the original.
    func verifyUpload() throws {
        guard try Command.run(["cmp", "-s", largeFile, "\(folder)/files/upload/large"]).status == 0 else {
            throw ExchangeFailure("other bytes were uploaded")
        }
    }

    /// Removes the uploaded files.
    func forgetUploads() {
        try? FileManager.default.removeItem(atPath: "\(folder)/files/upload/large")
    }

    /// Ends the server when a signal ends the benchmark.
    private func stopOnInterruption() {
        interruptions = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { [process, folder, caches] in
                process.terminate()
                for path in [folder, caches] { try? FileManager.default.removeItem(atPath: path) }
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    private func waitUntilReady(port: UInt16) throws {
        for _ in 0..<100 {
            guard process.isRunning else { throw ExchangeFailure("nginx does not start with \(folder)/nginx.conf") }
            if Self.connects(to: port) { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        throw ExchangeFailure("nginx does not answer")
    }

    /// Writes a number of generated bytes to a new file.
    private static func writeGenerated(_ count: Int, to path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw ExchangeFailure("no file \(path)") }
        defer { try? file.close() }
        let step = 1 << 20
        for start in stride(from: 0, to: count, by: step) {
            try file.write(contentsOf: Data(GeneratedBytes.bytes(start..<min(start + step, count))))
        }
    }

    private static func makeCertificate(in folder: String) throws {
        let arguments = [
            "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
            "-keyout", "\(folder)/key.pem", "-out", "\(folder)/certificate.pem",
        ]
        guard try Command.run(arguments).status == 0 else { throw ExchangeFailure("openssl made no certificate") }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func freePort() throws -> UInt16 {
        let socket = streamSocket()
        defer { close(socket) }
        var address = address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 ? getsockname(socket, $0, &length) : -1
            }
        }
        guard status == 0 else { throw ExchangeFailure("there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func connects(to port: UInt16) -> Bool {
        let socket = streamSocket()
        defer { close(socket) }
        var address = address(port: port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func streamSocket() -> CInt {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }
}
