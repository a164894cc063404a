import StreamsHTTP
import Testing

#if os(Linux)
import Glibc

/// An upload that waits for its flow-control window (RFC 9113, section 5.2), in a process of its own, so that only its
/// own processor time is measured.
@Suite(.serialized, .reservesDescriptors) struct StalledUploadTests {
    /// The processor time in seconds for a second of waiting.
    private static let allowance = 0.15

    @Test func anUploadWaitsForItsWindowWithoutSpinning() async {
        await #expect(processExitsWith: .success) {
            let server = try RawServer { connection in
                guard connection.acceptHTTP2() else { return }
                while connection.readFrame() != nil {}
            }
            let request = HTTPRequest(.post, "/", body: .data(Data(count: 1 << 20))).settingOptions {
                $0.connection.protocolPolicy = .http2
                $0.timeouts.idle = .seconds(1)
            }
            let start = clock()
            let client = server.client()
            let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
            #expect(error.name == "timeout.idle")
            let used = Double(clock() - start) / Double(CLOCKS_PER_SEC)
            #expect(Memory.isDistorted || used < Self.allowance, "\(used) s")
        }
    }
}
#endif
