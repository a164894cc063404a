import Foundation
import StreamsLoopback
import Testing

/// The end of the tool by a signal.
@Suite(.serialized) struct InterruptionTests {
    let server: LoopbackServer
    let folder: Folder

    init() throws {
        server = try LoopbackServer()
        folder = try Folder()
        server.on("GET", "/stall", .text("0123456789").failing(with: .stall(at: .inBody(after: 4))))
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func aSignalCancelsAndRemovesThePartialFile(signal: Int32, status: Int32) async throws {
        let running = try Tool([server.url("/stall"), "-o", folder.path("file"), "--events"]).start()
        try await server.wait { $0.bytesWritten == 4 }
        running.send(signal)
        let run = try await running.end()
        #expect(run.status == status)
        #expect(run.errors == "streams: interrupted\n")
        #expect(run.lines.last == #"{"event":"failed","kind":"cancelled","exit":\#(status),"message":"interrupted"}"#)
        #expect(try folder.names.isEmpty)
        try await server.waitForDisconnection()
    }

    @Test func ignoresSignalsThatAreRepeatedAtOnce() async throws {
        let running = try Tool([server.url("/stall"), "-o", folder.path("file"), "--events"]).start()
        try await server.wait { $0.bytesWritten == 4 }
        for _ in 0..<3 { running.send(SIGTERM) }
        let run = try await running.end()
        #expect(run.status == 143)
        #expect(run.lines.last == #"{"event":"failed","kind":"cancelled","exit":143,"message":"interrupted"}"#)
        #expect(try folder.names.isEmpty)
    }

    @Test func aReaderThatDoesNotReadDoesNotHoldItUp() async throws {
        server.on("GET", "/endless", .generated(1 << 40))
        let pipe = Pipe.uninherited()
        let running = try Tool([server.url("/endless")], output: pipe.fileHandleForWriting).start()
        try pipe.fileHandleForWriting.close()
        try await server.waitForBackPressure()
        running.send(SIGINT)
        let run = try await running.end()
        #expect(run.status == 130)
        try pipe.fileHandleForReading.close()
    }

    @Test func aWaitForARetryEndsToo() async throws {
        server.on("GET", "/busy", .status(503, headers: ["Retry-After": "100"]))
        let running = try Tool([server.url("/busy"), "--retry", "1"]).start()
        try await server.wait { $0.requests.first?.state == .replied }
        running.send(SIGINT)
        let run = try await running.end()
        #expect(run.status == 130)
    }
}
