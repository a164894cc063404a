import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// The tool in a process of its own: downloads that `kill -9` ends, and two processes with one file.
///
/// `STREAMS_DOWNLOAD_KILLS` and `STREAMS_DOWNLOAD_SIZE` make the first test larger, and `STREAMS_DOWNLOAD_SEED` repeats
/// another one.
@Suite(.serialized, .reservesDescriptors) struct KilledDownloadTests {
    private static func number(_ name: String, default number: Int) -> Int {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? number
    }

    /// The bytes that may be sent without being written: the window of 1 MiB, and the buffers of the client's socket,
    /// which the kernel enlarges, and of the server's.
    private static let allowance = (1 << 20) + largestReceiveBuffer + (1 << 20)

    /// The largest buffer of a socket for received bytes. Kernels differ: 6 MiB and 32 MiB are usual.
    private static var largestReceiveBuffer: Int {
        let limits = try? String(contentsOfFile: "/proc/sys/net/ipv4/tcp_rmem", encoding: .utf8)
        return limits?.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } ?? 6 << 20
    }

    @Test func aKilledDownloadIsResumedAndNeverWrong() async throws {
        let kills = Self.number("STREAMS_DOWNLOAD_KILLS", default: 5)
        let size = Self.number("STREAMS_DOWNLOAD_SIZE", default: 4 << 20)
        let seed = Self.number("STREAMS_DOWNLOAD_SEED", default: .random(in: 0..<1_000_000))
        var numbers = SeededGenerator(seed: UInt64(seed))
        let server = try LoopbackServer(limits: LoopbackServer.Limits(socketBuffers: 256 * 1024))
        let resource = RangedResource(size: size)
        let drip = Fault.drip(from: .inBody(after: 0), bytes: max(size / 256, 4096), every: .milliseconds(2))
        // The offset before which no reply ends, so that a process is killed however late the test notices.
        let (gate, held) = (Gate(), Watched(0))
        server.on("GET", "/file") { request in
            var reply = resource.reply(to: request).failing(with: drip)
            if case .bytes(let bytes)? = reply.body.pieces.first {
                let free = max(held.value - (size - bytes.count), 0)
                reply.body.pieces = [.bytes(Array(bytes[..<free])), .hold(gate), .bytes(Array(bytes[free...]))]
            }
            return reply
        }
        let folder = try ScratchFolder()
        let path = "\(folder.path)/file"
        let arguments = ["download", server.url("/file"), "-o", path, "-s", "-S"]
        var resumed = 0
        /// The sizes of the partial file at the beginning of each run.
        var sizes: [Int] = []
        var waste: [Int] = []
        for kill in 1...kills {
            let rest = size - resumed
            sizes.append(resumed)
            // Some are killed before they have sent their request.
            let wanted = Int.random(in: -rest / 16..<2 * rest / (kills - kill + 2), using: &numbers)
            held.update { $0 = resumed + max(wanted, 0) + (rest - max(wanted, 0)) / 2 }
            let before = server.bytesWritten
            let running = try Tool(arguments).start()
            if wanted > 0 { try await server.wait { $0.bytesWritten - before >= wanted } }
            running.send(SIGKILL)
            let run = try await running.end()
            #expect(run.status == -SIGKILL, "kill \(kill) of seed \(seed): \(run)")
            #expect(try !folder.names.contains("file"), "kill \(kill) of seed \(seed)")
            let part = FileManager.default.contents(atPath: "\(path).streams-part") ?? Data()
            #expect(GeneratedBytes.matches(part, at: 0), "kill \(kill) of seed \(seed)")
            #expect(part.count >= resumed, "kill \(kill) of seed \(seed)")
            waste.append(server.bytesWritten - before - (part.count - resumed))
            resumed = part.count
        }
        gate.open()
        sizes.append(resumed)
        let run = try await Tool(arguments).start().end()
        #expect(run.status == 0, "\(run)")
        let contents = try Data(contentsOf: URL(filePath: path))
        #expect(contents.count == size && GeneratedBytes.matches(contents, at: 0), "seed \(seed)")
        #expect(try folder.names == ["file"])
        // No byte in the partial file is requested again.
        for request in server.requests {
            let range = request.headers["Range"]
            let index = sizes.firstIndex { range == ($0 > 0 ? "bytes=\($0)-" : nil) }
            #expect(index != nil, "\(range ?? "no range") of seed \(seed)")
            if let index { sizes.remove(at: index) }
        }
        #expect(waste.allSatisfy { $0 <= Self.allowance }, "seed \(seed): \(waste)")
        print(
            "\(waste.count) kills of seed \(seed), \(size) bytes: received twice \(waste), at most \(waste.max() ?? 0)")
    }

    @Test func twoProcessesDoNotWriteOneFile() async throws {
        let server = try LoopbackServer()
        let (gate, resource) = (Gate(), RangedResource(size: 100_000))
        var reply = resource.whole
        reply.body.pieces = [.generated(50_000), .hold(gate), .generated(50_000)]
        server.on("GET", "/file", reply)
        let folder = try ScratchFolder()
        let path = "\(folder.path)/file"
        let recorder = DownloadRecorder(of: server.client().download(for: HTTPRequest(.get, "/file"), to: path))
        try await recorder.recording.wait(for: "progress") { !$0.progress.isEmpty }
        let run = try await Tool.run("download", server.url("/file"), "-o", path)
        #expect(run.status == 23)
        #expect(run.errors.contains("another download writes the file \"\(path).streams-part\""))
        #expect(server.requests.count == 1)
        gate.open()
        #expect(try await recorder.finished().failure == nil)
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
    }

    /// A disk on which a file may have 40 KiB. The limit also ends a process with a sanitizer.
    @Test func aFullDiskLeavesWhatCanBeResumed() async throws {
        if Memory.isDistorted { return }
        let server = try LoopbackServer()
        let resource = RangedResource(size: 100_000)
        server.on("GET", "/file") { resource.reply(to: $0) }
        let folder = try ScratchFolder()
        let path = "\(folder.path)/file"
        let limited = #"trap '' XFSZ; ulimit -f 80; exec "$0" "$@""#
        let full = try await Tool.shell(limited, "download", server.url("/file"), "-o", path)
        #expect(full.status == 23)
        #expect(full.errors.contains("\(path).streams-part: File too large"), "\(full.errors)")
        let part = try Data(contentsOf: URL(filePath: "\(path).streams-part"))
        #expect(part.count == 80 * 512 && GeneratedBytes.matches(part, at: 0))
        let run = try await Tool.run("download", server.url("/file"), "-o", path)
        #expect(run.status == 0)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, "bytes=40960-"])
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(resource.bytes))
        #expect(try folder.names == ["file"])
    }
}
#endif
