import Dispatch
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Responses that come while the request's body is being sent, and end the exchange before it has been.
@Suite(.reservesDescriptors) struct EarlyResponseTests {
    /// More than sockets and the window of an HTTP/2 stream take.
    private static let content = Data(GeneratedBytes.bytes(0..<16 << 20))

    private static func request(
        acceptingAll: Bool, by policy: RequestOptions.Connection.ProtocolPolicy = .automatic
    ) -> HTTPRequest {
        HTTPRequest(.put, "/", body: .data(content)).settingOptions {
            $0.validation = acceptingAll ? .acceptAll : .successOnly
            $0.retry = RetryPolicy(maxRetries: 3, backoff: .constant(.zero))
            $0.connection.protocolPolicy = policy
        }
    }

    // MARK: HTTP/1.1

    private static let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 9\r\n\r\n"

    /// The server closes the connection without having read the body, which resets it.
    @Test(arguments: ["", "too", "too large"], [false, true])
    func aRefusedBodyIsSentOnce(part: String, acceptsAll: Bool) async throws {
        let (connections, recorder) = (Watched(0), SignallingRecorder())
        let server = try RawServer { connection in
            connections.update { $0 += 1 }
            guard connection.readHead() != nil, connection.read(1000).count == 1000 else { return }
            connection.write(Self.refusal + part)
            // A reset could overtake the head.
            recorder.waitForHead()
        }
        let recording = try await recorder.record(server.client().events(for: Self.request(acceptingAll: acceptsAll)))
        #expect(connections.value == 1 && recording.retries.isEmpty)
        #expect(recording.outline.prefix(2) == ["attempt 1", "head 413"])
        if !acceptsAll {
            #expect(recording.failure?.reason.outline == "status(413)")
            #expect(recording.failure?.response?.body == Data(part.utf8))
        } else {
            #expect(recording.body == Data(part.utf8) && (recording.failure == nil) == (part == "too large"))
        }
    }

    // MARK: HTTP/2

    /// The server need not read the rest of the body (RFC 9113, section 8.1).
    @Test(arguments: ["", "too", "too large"], [false, true])
    func aRefusedBodyIsSentOnceByHTTP2(part: String, acceptsAll: Bool) async throws {
        let streams = Watched(0)
        let server = try RawServer { connection in
            streams.update { $0 += 1 }
            connection.refuseHTTP2(sending: part)
        }
        let request = Self.request(acceptingAll: acceptsAll, by: .http2)
        let recording = try await EventRecorder.record(server.client().events(for: request))
        #expect(streams.value == 1 && recording.retries.isEmpty)
        #expect(recording.outline.prefix(2) == ["attempt 1", "head 413"])
        if !acceptsAll {
            #expect(recording.failure?.reason.outline == "status(413)")
            #expect(recording.failure?.response?.body == Data(part.utf8))
        } else {
            #expect(recording.body == Data(part.utf8))
            #expect(recording.failure?.name == (part == "too large" ? nil : "transfer.body-ended-early"))
        }
    }

    @Test(arguments: [false, true])
    func aBodyIsSentOnceIfTheEndComesWithTheHead(acceptsAll: Bool) async throws {
        let streams = Watched(0)
        let server = try RawServer { connection in
            streams.update { $0 += 1 }
            connection.refuseHTTP2(sending: "too large", isHeadApart: false)
        }
        let request = Self.request(acceptingAll: acceptsAll, by: .http2)
        let recording = try await EventRecorder.record(server.client().events(for: request))
        #expect(streams.value == 1 && recording.retries.isEmpty)
        #expect(recording.head?.status == .contentTooLarge)
        let body = acceptsAll ? recording.body : recording.failure?.response?.body
        #expect(body == Data("too large".utf8) && (recording.failure == nil) == acceptsAll)
    }
}

/// A recorder that tells a server when the head of its response has come.
private struct SignallingRecorder: Sendable {
    private let hasHead = DispatchSemaphore(value: 0)

    func record(_ publisher: RequestPublisher<Void>) async throws -> EventRecording<Void> {
        let recorder = EventRecorder<Void> { [hasHead] _, event in
            if case .head = event { hasHead.signal() }
            return .none
        }
        publisher.subscribe(recorder)
        return try await recorder.finished()
    }

    /// Blocks the calling thread.
    func waitForHead() { hasHead.wait() }
}
