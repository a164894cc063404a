import StreamsHTTP
import Testing

/// The decoding of awaited responses, which precedes the end of the request.
@Suite struct AwaitedDecodingTests {
    /// Records the ends of requests.
    private final class EndMonitor: EventMonitor {
        let ends = Watched<[String]>([])

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            if case .failure(let error) = completion {
                ends.update { $0.append(error.name) }
            } else {
                ends.update { $0.append("finished") }
            }
        }
    }

    /// An endpoint that calls a closure when its response is decoded.
    private struct DecodingCall: Endpoint {
        let path = "/"
        let onDecode: @Sendable () throws -> Void

        func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Int {
            try onDecode()
            return response.body.count
        }
    }

    private struct Undecodable: Error {}

    private let transport = AnsweringTransport { _, _ in .reply(200, [:], "text") }
    private let monitor = EndMonitor()

    private func client(limit: Int? = nil) -> HTTPClient {
        transport.client {
            $0.monitors = [monitor]
            $0.limits.maxConcurrentRequests = limit
        }
    }

    @Test(arguments: ["value", "progress", "stream"])
    func monitorsSeeDecodingErrors(way: String) async throws {
        let client = client()
        let call = DecodingCall { throw Undecodable() }
        let error: HTTPError?
        switch way {
        case "progress":
            error = try await failure { () throws(HTTPError) in try await client.value(for: call, onProgress: { _ in })
            }
        case "stream":
            error = try await EventRecorder.record(client.events(for: call)).failure
        default:
            error = try await failure { () throws(HTTPError) in try await client.value(for: call) }
        }
        #expect(error?.name == "decoding")
        try await monitor.ends.wait(for: "the end") { !$0.isEmpty }
        #expect(monitor.ends.value == ["decoding"])
    }

    @Test func decodesOnceBeforeTheEnd() async throws {
        let endsWhileDecoding = Watched<[Int]>([])
        let call = DecodingCall { [monitor] in endsWhileDecoding.update { $0.append(monitor.ends.value.count) } }
        #expect(try await client().value(for: call) == 4)
        #expect(endsWhileDecoding.value == [0])
        #expect(monitor.ends.value == ["finished"])
    }

    @Test func cancellationWhileDecodingEndsTheRequestOnce() async throws {
        let client = client(limit: 1)
        let call = DecodingCall { withUnsafeCurrentTask { $0?.cancel() } }
        let error = try await Task {
            try await failure { () throws(HTTPError) in try await client.value(for: call) }
        }.value
        #expect(error.isCancellation)
        #expect(monitor.ends.value == ["cancelled"])
        // The slot is free again.
        #expect(try await client.value(for: DecodingCall {}) == 4)
        await client.shutdown()
    }

    /// The response is being delivered, and its completion follows.
    @Test func cancelAllWhileDecodingLeavesTheResponse() async throws {
        let client = client(limit: 1)
        let call = DecodingCall { client.cancelAll() }
        #expect(try await client.value(for: call) == 4)
        #expect(try await EventRecorder.record(client.events(for: call)).response?.body == 4)
        #expect(monitor.ends.value == ["finished", "finished"])
        #expect(try await client.value(for: DecodingCall {}) == 4)
        await client.shutdown()
    }
}
