import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// A transfer by itself, with the test in the loop's place.
@Suite(.reservesDescriptors) struct CurlTransferTests {
    private let source = ChunkSource([], end: .open)
    private let recorder = TransportRecorder()
    private let poller: SocketPoller

    init() throws {
        poller = try SocketPoller()
    }

    private func transfer(
        _ method: HTTPMethod, body: HTTPBody = .empty, window: Int = 1 << 20
    ) throws -> CurlTransfer {
        let request = TransportRequest(
            method: method, url: try #require(URL(string: "http://h/")), body: body, idleTimeout: .seconds(5),
            window: window)
        let transfer = CurlTransfer(request, receiver: recorder)
        try transfer.prepare(
            HandlePool(poller, CurlTransport.Configuration()), poller, NameLookups(reserve: nil))
        return transfer
    }

    /// A name that takes its time to be resolved keeps the handle, and nothing else.
    @Test func aTransferThatEndsBeforeItsHandleLetsGoOfTheBody() async throws {
        let transfer = try transfer(.put, body: .stream(source))
        try await source.journal.wait(for: "the source to be asked") { $0.requested > 0 }
        transfer.end(.failed(TransportFailure(.timeout(.connect))))
        #expect(recorder.recording.value.failure?.reason.outline == "timeout.connect")
        #expect(source.journal.value.isCancelled)
    }

    @Test func thePeersTimeBeginsWhenItHasBeenToldToGoOn() {
        let now = MonotonicTime.now
        let later = now + .seconds(10)
        let deadlines = try? [false, true].map { isResumed in
            let transfer = try transfer(.get, window: 1)
            _ = transfer.connected()
            _ = transfer.settle(now: now)
            for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
                _ = Array(line.utf8).withUnsafeBytes { transfer.readHeader($0) }
            }
            let chunk: [UInt8] = [1, 2, 3]
            #expect(chunk.withUnsafeBytes { transfer.readBody($0) } == 3)
            #expect(chunk.withUnsafeBytes { transfer.readBody($0) } != 3)
            // The loop hears of it at its next turn.
            transfer.grant(1000)
            if isResumed { transfer.resumeReceiving(now: later) }
            return transfer.deadline(now: later)?.at
        }
        #expect(deadlines == [later + .seconds(5), later + .seconds(5)])
    }

    /// What was granted has not reached the loop yet, and libcurl waits all the same.
    @Test func whatIsHeldBackIsLetGoOfBehindAGrant() throws {
        let transfer = try transfer(.get, window: 1)
        let head = ["HTTP/1.1 200 OK\r\n", "\r\n"].map { Array($0.utf8) }
        for line in head { #expect(line.withUnsafeBytes { transfer.readHeader($0) } == line.count) }
        let chunk: [UInt8] = [1, 2, 3]
        #expect(chunk.withUnsafeBytes { transfer.readBody($0) } == 3)
        #expect(chunk.withUnsafeBytes { transfer.readBody($0) } != 3)
        transfer.grant(1000)
        transfer.discardBacklog()
        #expect(chunk.withUnsafeBytes { transfer.readBody($0) } == 0)
    }
}
