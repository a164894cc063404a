import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Servers whose exchanges a transport performs on different engines.
struct EngineServers {
    let transport: CurlTransport
    let servers: [LoopbackServer]

    /// Starts one server for each engine of a transport.
    init(_ configuration: CurlTransport.Configuration) throws {
        transport = CurlTransport(configuration: configuration)
        servers = try transport.elements(configuration.engineCount ?? 1, by: \.port) { try LoopbackServer() }
    }

    /// A client for absolute URLs, on the transport.
    func client(connectTimeout: Duration = .seconds(300)) -> HTTPClient {
        let options = RequestOptions.with {
            $0.timeouts.connect = connectTimeout
            $0.timeouts.idle = .seconds(300)
        }
        return HTTPClient(configuration: .init(options: options), transport: transport)
    }

    /// Has so many requests to a server under way at once, and lets them end.
    func hold(_ count: Int, at server: LoopbackServer, by client: HTTPClient) async throws {
        let (gate, before) = (Gate(), server.requests.count)
        server.on("GET", "/held", .text("held").held(by: gate))
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<count { group.addTask { await client.outcome(of: server.url("/held")) } }
            try await server.wait { $0.requests.count == before + count }
            gate.open()
            for try await outcome in group { #expect(outcome == "held") }
        }
    }
}

extension CurlTransport {
    /// Makes servers until there is one for each engine. The ports of servers can have slots in common by chance.
    func elements<Element>(
        _ count: Int, by port: (Element) -> Int, _ make: () throws -> Element
    ) throws -> [Element] {
        var engines: Set<ObjectIdentifier> = []
        var elements: [Element] = []
        while elements.count < count {
            let element = try make()
            let url = try #require(URL(string: "http://127.0.0.1:\(port(element))/"))
            let engine = try engine(for: Route(TransportRequest(method: .get, url: url)))
            if engines.insert(ObjectIdentifier(engine)).inserted { elements.append(element) }
        }
        return elements
    }
}

extension HTTPClient {
    /// Waits until so many requests wait at a place of the transport, whose threads move them.
    func waitForRequests(_ count: Int, at place: HTTPRequest.Wait.Place) async throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while snapshot.requests.count(where: { $0.wait?.place == place }) != count {
            guard ContinuousClock.now < deadline else { throw Overdue(what: "the wait", state: "\(snapshot)") }
            await Task.yield()
        }
    }
}
