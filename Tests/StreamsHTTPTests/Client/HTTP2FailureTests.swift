import StreamsHTTP
import Testing

/// Responses by HTTP/2 that are cut or invalid.
@Suite(.reservesDescriptors) struct HTTP2FailureTests {
    private static let contents = ["hello", ""]

    private func recording(
        status: String = "200", content: String = "hello", resetCode: UInt8?
    ) async throws -> EventRecording<Void> {
        let server = try RawServer { $0.answerHTTP2(status: status, content: content, resetCode: resetCode) }
        let client = server.client(options: .with { $0.connection.protocolPolicy = .http2 })
        return try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
    }

    /// An intermediary resets a stream whose upstream fails: INTERNAL_ERROR, CANCEL, CONNECT_ERROR, ENHANCE_YOUR_CALM.
    @Test(arguments: [2, 8, 10, 11] as [UInt8], contents)
    func resetBodyEndsEarly(code: UInt8, content: String) async throws {
        let recording = try await recording(content: content, resetCode: code)
        let error = try #require(recording.failure)
        #expect(error.reason.outline == "transfer.body-ended-early" && error.isRetryable)
        #expect(error.underlying?.domain == "HTTP/2 stream" && error.underlying?.code == Int(code))
        #expect(recording.body == Data(content.utf8))
    }

    /// PROTOCOL_ERROR and FLOW_CONTROL_ERROR.
    @Test(arguments: [1, 3] as [UInt8], contents)
    func violationsAreProtocolErrors(code: UInt8, content: String) async throws {
        let recording = try await recording(content: content, resetCode: code)
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        #expect(recording.http2ErrorCode == Int(code))
        #expect(recording.body == Data(content.utf8))
    }

    /// RFC 9110, section 15.
    @Test(arguments: ["000", "042", "600", "999"]) func refusesStatusesThatAreNone(status: String) async throws {
        let recording = try await recording(status: status, resetCode: nil)
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        #expect(recording.outline == ["attempt 1"])
    }

    /// A server that sends no settings may speak another protocol. Others wait for the settings, but not for ever.
    @Test func opensAnotherConnectionAfterOneWithoutSettings() async throws {
        let server = try RawServer { connection in
            guard connection.number > 1 else {
                while !connection.read(1).isEmpty {}
                return
            }
            connection.answerHTTP2(content: "hello", resetCode: nil)
        }
        let client = server.client(options: .with { $0.connection.protocolPolicy = .http2 })
        let impatient = HTTPRequest(.get, "/").settingOptions { $0.timeouts.idle = .milliseconds(200) }
        let silent = try await EventRecorder.record(client.events(for: impatient))
        #expect(silent.failure?.reason.outline == "timeout.idle")
        let answered = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/")))
        #expect(answered.failure == nil && answered.body == Data("hello".utf8))
    }

    @Test func acceptsStatusWithoutName() async throws {
        let recording = try await recording(status: "299", resetCode: nil)
        #expect(recording.failure == nil && recording.body == Data("hello".utf8))
    }
}
