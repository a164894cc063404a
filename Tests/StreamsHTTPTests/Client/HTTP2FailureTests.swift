import StreamsHTTP
import Testing

/// Responses by HTTP/2 that are cut or invalid.
@Suite(.reservesDescriptors) struct HTTP2FailureTests {
    /// libcurl 7.74 takes a body without a length for whole if its stream is reset behind content.
    private static let contents = CurlTransport.runtime.version.number < 0x075800 ? [""] : ["hello", ""]

    private func recording(
        status: String = "200", content: String = "hello", resetCode: UInt8?
    ) async throws -> EventRecorder<Void>.Recording {
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
        let message = try #require(error.underlying?.message)
        // The texts of older and newer versions of libcurl.
        let hasCode = message.contains("(err \(code))") || message.contains("(error 0x\(String(code, radix: 16)) ")
        #expect(error.underlying?.code == 92 && hasCode)
        #expect(recording.body == Data(content.utf8))
    }

    /// PROTOCOL_ERROR, also by libcurl's own engine, FLOW_CONTROL_ERROR.
    @Test(arguments: [1, 3] as [UInt8], contents)
    func violationsAreProtocolErrors(code: UInt8, content: String) async throws {
        let recording = try await recording(content: content, resetCode: code)
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        #expect(recording.body == Data(content.utf8))
    }

    /// RFC 9110, section 15.
    @Test(arguments: ["000", "042", "600", "999"]) func refusesStatusesThatAreNone(status: String) async throws {
        let recording = try await recording(status: status, resetCode: nil)
        #expect(recording.failure?.reason.outline == "transfer.protocol-error")
        #expect(recording.outline == ["attempt 1"])
    }

    @Test func acceptsStatusWithoutName() async throws {
        let recording = try await recording(status: "299", resetCode: nil)
        #expect(recording.failure == nil && recording.body == Data("hello".utf8))
    }
}
