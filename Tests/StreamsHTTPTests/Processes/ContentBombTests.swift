import StreamsHTTP
import StreamsLoopback
import Testing

#if os(Linux)
/// Small bodies that decode to large ones. Each test runs in a process of its own, which also has the server, so that
/// no other test's memory is measured.
@Suite(.serialized, .reservesDescriptors) struct ContentBombTests {
    /// The maximum growth of the process's memory in an exchange. The bodies decode to 130 MB.
    private static let allowance = 20 << 20

    @Test(arguments: ["deflate", "deflate, deflate", "br", "zstd"])
    func stopsAtTheLimitInConstantMemory(coding: String) async {
        await #expect(processExitsWith: .success) { [coding = coding as String] in
            guard let bomb = Bomb(coding) else { return }
            let server = try LoopbackServer()
            server.on(
                "GET", "/small", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(EncodedText.gzip.bytes)))
            server.on("GET", "/bomb", Reply(headers: ["Content-Encoding": coding], body: .bytes(bomb.bytes)))
            let client = server.client()
            // The first exchange allocates what all share.
            try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/small")))
            let options = RequestOptions.with { $0.maxBodySize = 1_000_000 }
            let request = HTTPRequest(.get, "/bomb", options: options)
            Memory.resetPeak()
            let before = Memory.resident

            let delivered = try await EventRecorder.record(client.events(for: request))
            #expect(delivered.failure?.reason.outline == "transfer.body-too-large(1000000)")
            let collected = try await failure { () throws(HTTPError) in try await client.response(for: request) }
            #expect(collected.reason.outline == "transfer.body-too-large(1000000)")

            let growth = Memory.peak - before
            #expect(Memory.isDistorted || growth < Self.allowance + bomb.window, "\(growth) bytes")
        }
    }

    @Test(arguments: ["deflate", "br", "zstd"]) func deliversInConstantMemory(coding: String) async {
        await #expect(processExitsWith: .success) { [coding = coding as String] in
            guard let bomb = Bomb(coding) else { return }
            let server = try LoopbackServer()
            server.on("GET", "/", Reply(headers: ["Content-Encoding": coding], body: .bytes(bomb.bytes)))
            server.on(
                "GET", "/small", Reply(headers: ["Content-Encoding": "gzip"], body: .bytes(EncodedText.gzip.bytes)))
            let client = server.client()
            // The first exchange allocates what all share.
            try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/small")))
            Memory.resetPeak()
            let before = Memory.resident
            var size = 0
            for try await event in client.events(for: HTTPRequest(.get, "/")).values {
                if case .chunk(let chunk) = event { size += chunk.count }
            }
            #expect(size == bomb.size)

            let growth = Memory.peak - before
            #expect(Memory.isDistorted || growth < Self.allowance + bomb.window, "\(growth) bytes")
        }
    }
}
#endif
