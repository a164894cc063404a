import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// A subscriber that takes its time, in a process of its own, where nobody else's memory counts. The server is in the
/// same process: what it takes counts too.
@Suite(.serialized, .reservesDescriptors) struct SlowSubscriberTests {
    /// The memory that the whole exchange of 4 GiB may add to the process.
    private static let allowance = 8 << 20

    @Test func aHugeBodyIsTakenChunkByChunkInConstantMemory() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer()
            server.on("GET", "/small", .generated(1 << 20))
            server.on("GET", "/huge", .generated(4 << 30))
            let client = server.client()
            let url = server.url("/huge")
            // What is there for every exchange has come with the first.
            try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/small")))
            Memory.resetPeak()
            let before = Memory.resident

            let body = Watched(GeneratedBodyCheck())
            let recorder = EventRecorder<Void>(demand: .none, keepingBody: false) { _, event in
                if case .chunk(let chunk) = event { body.update { $0.accept(chunk) } }
                return .none
            }
            client.events(for: HTTPRequest(.get, url)).subscribe(recorder)
            // A chunk a second, then faster: the server has to wait before each one that is asked for.
            for round in 1...40 {
                try await recorder.takeChunk(round)
                if round <= 5 { try await Task.sleep(for: .seconds(1)) }
                try await server.waitForBackPressure(on: 2, lasting: .milliseconds(50))
            }

            let written = server.requests[1].bytesWritten
            let taken = recorder.recording.value.grammar.chunkBytes
            let growth = Memory.peak - before
            #expect(Memory.isDistorted || growth < Self.allowance, "\(growth) bytes")
            // The rest is in the window and in the kernel's buffers for both sockets.
            #expect(written - taken < 16 << 20, "\(written) bytes written, \(taken) taken")
            recorder.cancel()
            try await server.waitForDisconnection(of: 2)
            #expect(body.value.count == taken && body.value.isExact)
            recorder.verify()
        }
    }
}

extension EventRecorder<Void> {
    /// Requests one event at a time until one of them is a chunk.
    fileprivate func takeChunk(_ number: Int) async throws {
        while recording.value.chunkCount < number {
            let seen = recording.value.eventCount
            request(.max(1))
            try await wait(for: "another event") { $0.eventCount > seen }
        }
    }
}
#endif
