import StreamsHTTP
import StreamsLoopback
import Testing

/// Requests on a kept connection that breaks after the server has read them.
@Suite(.reservesDescriptors) struct ReusedConnectionTests {
    /// The end of a connection after the second request on it.
    enum Break: CaseIterable, Sendable {
        case close
        case reset
        case closeInStatusLine
    }

    private let arrivals = Watched<[String]>([])
    /// The contents of the requests that have arrived.
    private let contents = Watched<[[UInt8]]>([])
    private let server: RawServer

    init() throws {
        server = try Self.server(breaking: .close, arrivals, contents)
    }

    /// Creates a server that breaks its first connection at the second request.
    private static func server(
        breaking end: Break, _ arrivals: Watched<[String]>, _ contents: Watched<[[UInt8]]>
    ) throws -> RawServer {
        try RawServer { connection in
            var count = 0
            while let (method, content) = connection.readMessage() {
                count += 1
                contents.update { $0.append(content) }
                arrivals.update { $0.append(method) }
                if count > 1, connection.number == 1 {
                    switch end {
                    case .close: break
                    case .reset: connection.resetOnClose()
                    case .closeInStatusLine: connection.write("HTTP/1.1 2")
                    }
                    return
                }
                let length = method == "HEAD" ? "" : "ok"
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\(length)")
            }
        }
    }

    private static let uploads = [[], GeneratedBytes.bytes(0..<100_000)]

    @Test(arguments: [.post, .patch, "LOCK"] as [HTTPMethod], uploads.indices)
    func doesNotRepeatNonIdempotentRequests(method: HTTPMethod, upload: Int) async throws {
        let client = server.client(
            options: .with { $0.retry = RetryPolicy(maxRetries: 3, backoff: .init(initial: .zero)) })
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let content = Self.uploads[upload]
        let request = HTTPRequest(method, "/", body: content.isEmpty ? .empty : .data(Data(content)))
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.failure?.reason.outline == "transfer.reused-connection-lost")
        #expect(recording.outline == ["attempt 1"])
        #expect(arrivals.value == ["GET", method.rawValue])
        let isExact = contents.value == [[], content]
        #expect(isExact)
    }

    @Test(arguments: Break.allCases)
    func anyBreakIsTheSameFailure(end: Break) async throws {
        let arrivals = Watched<[String]>([])
        let contents = Watched<[[UInt8]]>([])
        let server = try Self.server(breaking: end, arrivals, contents)
        let client = server.client()
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.post, "/", body: .data(Data("x".utf8))))
        }
        #expect(error.reason.outline == "transfer.reused-connection-lost")
        #expect(arrivals.value == ["GET", "POST"] && contents.value == [[], Array("x".utf8)])
    }

    /// libcurl would send the request on the other idle connection, without opening one.
    @Test(arguments: [HTTPMethod.post, .get])
    func otherIdleConnectionsAreNoWayAround(method: HTTPMethod) async throws {
        let arrivals = Watched<[String]>([])
        let gate = Watched(0)
        let server = try RawServer { connection in
            guard connection.readRequest() != nil else { return }
            gate.update { $0 += 1 }
            gate.waitSynchronously { $0 >= 2 }
            repeat {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                guard let method = connection.readRequest() else { return }
                arrivals.update { $0.append(method) }
            } while connection.number > 2
        }
        let client = server.client()
        async let first = client.response(for: HTTPRequest(.get, "/"))
        async let second = client.response(for: HTTPRequest(.get, "/"))
        _ = try await (first, second)
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(method, "/")))
        if method == .post {
            #expect(recording.failure?.reason.outline == "transfer.reused-connection-lost")
            #expect(arrivals.value == ["POST"])
        } else {
            #expect(recording.outline == ["attempt 1", "retrying", "attempt 2", "head 200", "response 200"])
        }
    }

    @Test(arguments: [.get, .head, .put, .delete, .options, .query, "REPORT"] as [HTTPMethod])
    func repeatsIdempotentRequestsOnceAndVisibly(method: HTTPMethod) async throws {
        let client = server.client()
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let content = [.put, .query].contains(method) ? GeneratedBytes.bytes(0..<100_000) : []
        let body: HTTPBody = content.isEmpty ? .empty : .data(Data(content))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(method, "/", body: body)))
        #expect(
            recording.outline == ["attempt 1", "retrying", "attempt 2", "head 200", "response 200"])
        #expect(recording.retries.map(\.delay) == [.zero])
        #expect(recording.retries.first?.error.reason.outline == "transfer.reused-connection-lost")
        #expect(arrivals.value == ["GET", method.rawValue, method.rawValue])
        let isExact = contents.value == [[], content, content]
        #expect(isExact)
    }

    @Test func aRepeatIsInTheMetrics() async throws {
        let monitor = AttemptMonitor()
        let client = server.client(monitors: [monitor])
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let metrics = try await monitor.metrics.wait(for: "the metrics") { $0.count == 2 }
        #expect(metrics.map(\.attempts) == [1, 2])
        #expect(metrics.last?.exchanges.map(\.measured?.isConnectionReused).last == false)
    }

    @Test func aBodyThatCannotBeSentAgainIsNotRepeated() async throws {
        let client = server.client()
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let body = HTTPBody.stream(length: 3, ChunkSource([Data("abc".utf8)]))
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.put, "/", body: body))
        }
        #expect(error.reason.outline == "transfer.reused-connection-lost")
        #expect(arrivals.value == ["GET", "PUT"])
    }

    /// libcurl would send the request again, without the field.
    @Test func anUnmetExpectationIsTheResponse() async throws {
        let arrivals = Watched<[String]>([])
        let server = try RawServer { connection in
            while connection.readHead() != nil {
                arrivals.update { $0.append("head") }
                connection.write("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 2\r\n\r\nno")
            }
        }
        let request = HTTPRequest(
            .post, "/", headers: ["Expect": "100-continue"], body: .data(Data(repeating: 0x78, count: 100)))
        let error = try await failure { () throws(HTTPError) in try await server.client().response(for: request) }
        #expect(error.status?.code == 417 && arrivals.value == ["head"])
    }

    @Test func aConnectionThatWasClosedBeforeIsReplaced() async throws {
        let arrivals = Watched<[String]>([])
        let closed = Watched(false)
        let server = try RawServer { connection in
            while let method = connection.readRequest() {
                arrivals.update { $0.append(method) }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                guard connection.number > 1 else { break }
            }
            shutdown(connection.descriptor, CInt(SHUT_RDWR))
            closed.update { $0 = true }
        }
        let client = server.client()
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        try await closed.wait(for: "the end of the connection") { $0 }
        let response = try await client.response(for: HTTPRequest(.post, "/", body: .data(Data("x".utf8))))
        #expect(response.status == .ok && arrivals.value == ["GET", "POST"])
    }
}

/// A monitor that keeps the metrics of requests.
private final class AttemptMonitor: EventMonitor {
    let metrics = Watched<[HTTPRequest.Metrics]>([])

    func requestEnded(
        _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>, metrics: HTTPRequest.Metrics
    ) {
        self.metrics.update { $0.append(metrics) }
    }
}
