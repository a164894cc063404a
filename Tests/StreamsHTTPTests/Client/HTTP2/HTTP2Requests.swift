import StreamsHTTP
import StreamsLoopback
import Testing

extension RequestOptions {
    /// Options with which servers of http URLs are spoken to by HTTP/2.
    static func http2(_ change: (inout RequestOptions) -> Void = { _ in }) -> RequestOptions {
        .with {
            $0.connection.protocolPolicy = .http2
            change(&$0)
        }
    }
}

extension LoopbackServer {
    /// A client by HTTP/2 whose base URL is this server.
    func http2Client(
        transport: CurlTransport.Configuration = .init(), _ change: (inout RequestOptions) -> Void = { _ in }
    ) -> HTTPClient {
        client(options: .http2(change), transport: CurlTransport(configuration: transport))
    }

    /// Replies to each path that is a number with a body of its own.
    func serveNumberedBodies(_ change: @escaping @Sendable (Reply) -> Reply = { $0 }) {
        otherwise { request in
            guard let number = Int(request.path.dropFirst()) else { return .status(404) }
            return change(.bytes(Self.numberedBody(number)))
        }
    }

    /// The body of a number: a part of the generated sequence with a start and a length of its own.
    static func numberedBody(_ number: Int) -> [UInt8] {
        GeneratedBytes.bytes(number * 997..<number * 998 + 1000)
    }
}

extension HTTPClient {
    /// Makes GET requests at once.
    ///
    /// - Returns: The recordings, in the order of the paths.
    func recordAtOnce(_ paths: [String]) async throws -> [EventRecording<Void>] {
        let recorders = paths.map { subscribe(HTTPRequest(.get, $0)) }
        var recordings: [EventRecording<Void>] = []
        for recorder in recorders { recordings.append(try await recorder.finished()) }
        return recordings
    }

    /// Makes a request whose events are recorded.
    func subscribe(_ request: HTTPRequest, demand: Subscribers.Demand = .unlimited) -> EventRecorder<Void> {
        EventRecorder(of: events(for: request), demand: demand)
    }

    /// Expects the numbered bodies of a server, which are requested at once.
    func expectNumberedBodies(
        _ numbers: Range<Int>, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let recordings = try await recordAtOnce(numbers.map { "/\($0)" })
        let isExact = recordings.map(\.body) == numbers.map { Data(LoopbackServer.numberedBody($0)) }
        #expect(isExact, sourceLocation: sourceLocation)
        let failures = recordings.compactMap(\.failure?.reason.outline)
        #expect(failures == [], sourceLocation: sourceLocation)
    }
}

extension EventRecording {
    /// The error by which HTTP/2 has failed, as its code; `nil` if something else did.
    var http2ErrorCode: Int? {
        failure?.underlying.flatMap { $0.domain.hasPrefix("HTTP/2") ? $0.code : nil }
    }
}

extension LoopbackServer {
    /// Waits until the client has reset a stream.
    ///
    /// - Returns: The code of the reset.
    func waitForReset(of stream: Int = 1, on connection: Int = 1) async throws -> HTTP2ErrorCode? {
        let code = { (journal: Journal) in
            journal.http2Connections.first { $0.number == connection }?.resets[stream]
        }
        return code(try await wait { code($0) != nil })
    }
}
