import StreamsLoopback
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// The places where requests wait, in snapshots and in the errors of timeouts.
///
/// `LookupTests` and `DescriptorLimitTests` have the waits for a lookup and for a descriptor.
@Suite(.reservesDescriptors) struct RequestWaitTests {
    private let server = PermitServer()

    private func start(_ target: String, total: Duration, on client: HTTPClient) -> EventRecorder<Void> {
        let options = RequestOptions.with { $0.timeouts.total = total }
        return EventRecorder(of: client.events(for: HTTPRequest(.get, target, options: options)))
    }

    private func waits(of client: HTTPClient) -> [HTTPRequest.Wait?] { client.snapshot.requests.map(\.wait) }

    // MARK: The client

    @Test func aRequestWaitsForASlot() async throws {
        let client = server.client { $0.limits.maxConcurrentRequests = 1 }
        let first = server.start("/a", on: client)
        let second = start("/b", total: .seconds(2), on: client)
        server.scheduler.advance(by: .milliseconds(500))
        #expect(waits(of: client) == [nil, HTTPRequest.Wait(.slot, elapsed: .milliseconds(500))])
        #expect(client.snapshot.requests.map(\.phase) == [.sending, .queued])
        server.scheduler.advance(by: .milliseconds(1500))
        let error = try #require(try await second.finished().failure)
        #expect(error.name == "timeout.queue")
        #expect(error.timeoutWait == HTTPRequest.Wait(.slot, elapsed: .seconds(2)))
        first.cancel()
    }

    @Test func aRequestWaitsForAPlaceAndThenForAToken() async throws {
        let client = server.client {
            $0.limits.maxConcurrentRequestsPerOrigin = 1
            $0.limits.rateLimit = RateLimit(requests: 1, per: .seconds(10), burst: 1)
        }
        let first = server.start("/a", on: client)
        let second = start("/b", total: .seconds(5), on: client)
        server.scheduler.advance(by: .seconds(2))
        #expect(waits(of: client) == [nil, HTTPRequest.Wait(.originPlace, elapsed: .seconds(2))])
        server.answer(0)
        try await first.finished()
        server.scheduler.advance(by: .seconds(1))
        #expect(waits(of: client).last == HTTPRequest.Wait(.token, elapsed: .seconds(1)))
        #expect(client.snapshot.requests.last?.phase == .waitingForPermit)
        server.scheduler.advance(by: .seconds(2))
        let error = try #require(try await second.finished().failure)
        #expect(error.name == "timeout.permit" && !error.mayHaveBeenProcessed)
        #expect(error.timeoutWait == HTTPRequest.Wait(.token, elapsed: .seconds(3)))
        #expect(server.paths == ["/a"])
    }

    @Test func theErrorNamesThePlaceAtTheOrigin() async throws {
        let client = server.client { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        let first = server.start("/a", on: client)
        let second = start("/b", total: .milliseconds(2500), on: client)
        server.scheduler.advance(by: .milliseconds(2500))
        let error = try #require(try await second.finished().failure)
        #expect(
            error.description
                == "GET http://h/b: the total timeout expired while the request waited 2.5 s for a place at the origin")
        first.cancel()
    }

    // MARK: The transport

    private let connectionWait = HTTPRequest.Wait(.connection, elapsed: .seconds(3))

    /// The transport is asked outside of the request's lock: it may use the request meanwhile.
    @Test(arguments: [false, true]) func aTransportNamesThePlaceOfItsExchange(needsPermit: Bool) async throws {
        let client = server.client { if needsPermit { $0.limits.maxConcurrentRequestsPerOrigin = 1 } }
        let recorder = start("/a", total: .seconds(5), on: client)
        server.visits.value[0].exchange.onWait.update {
            $0 = { [connectionWait] in
                recorder.request(.max(1))
                return connectionWait
            }
        }
        #expect(waits(of: client) == [connectionWait] && client.snapshot.requests.map(\.phase) == [.sending])
        server.scheduler.advance(by: .seconds(5))
        let error = try #require(try await recorder.finished().failure)
        #expect(error.name == "timeout.total" && error.timeoutWait == connectionWait)
    }

    @Test func theFirstCopyUnderWayNamesThePlace() async throws {
        let client = server.client(.with { $0.hedging = HedgingPolicy(after: .seconds(1)) }) { _ in }
        let recorder = server.start("/a", on: client)
        server.visits.value[0].exchange.onWait.update { $0 = { [connectionWait] in connectionWait } }
        // A copy that waits in the transport is hedged.
        server.scheduler.advance(by: .seconds(1))
        #expect(server.paths == ["/a", "/a"] && waits(of: client) == [connectionWait])
        let other = HTTPRequest.Wait(.turnToOpen, elapsed: .seconds(1))
        server.visits.value[1].exchange.onWait.update { $0 = { other } }
        #expect(waits(of: client) == [connectionWait])
        server.fail(0, .connection(.refused))
        #expect(waits(of: client) == [other])
        server.answer(1)
        try await recorder.finished()
    }

    @Test func aRequestWaitsForAConnectionToItsHost() async throws {
        let (host, gate, scheduler) = (try LoopbackServer(), Gate(), TestScheduler())
        host.on("GET", "/held", .text("held").held(by: gate))
        let client = host.client(
            scheduler: scheduler, transport: CurlTransport(configuration: .init(maxConnectionsPerHost: 1)))
        let first = server.start("/held", on: client)
        try await host.waitForRequests(1)
        let second = start("/other", total: .seconds(5), on: client)
        try await client.waitForPlaces([nil, .connection])
        #expect(client.snapshot.requests.map(\.phase) == [.sending, .sending])
        scheduler.advance(by: .seconds(5))
        let error = try #require(try await second.finished().failure)
        guard case .timeout(.total) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.timeoutWait?.place == .connection && error.description.hasSuffix(" for a connection to the host"))
        gate.open()
        #expect(try await first.finished().body == Data("held".utf8))
    }

    @Test func aRequestWaitsForItsTurnToOpenAConnection() async throws {
        let listener = try FullListener()
        let client = HTTPClient.alone
        let patient = RequestOptions.http2 { $0.timeouts.connect = .seconds(300) }
        let recorders = (0..<2).map { _ in
            EventRecorder(of: client.events(for: HTTPRequest(.get, listener.url, options: patient)))
        }
        try await client.waitForPlaces([nil, .turnToOpen])
        let hasty = RequestOptions.http2 { $0.timeouts.connect = .milliseconds(50) }
        let error = try await failure { () throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, listener.url, options: hasty))
        }
        #expect(error.name == "timeout.connect" && error.timeoutWait?.place == .turnToOpen)
        #expect(error.timeoutWait?.elapsed ?? .zero >= .milliseconds(50))
        for recorder in recorders { recorder.cancel() }
    }

    @Test func aWaitGoesOnAtTheSamePlace() {
        let wait = ExchangeWait()
        let none = wait.value(age: .seconds(1))
        wait.begin(.descriptor, age: .seconds(1))
        wait.begin(.descriptor, age: .seconds(2))
        let descriptor = wait.value(age: .seconds(4))
        wait.begin(.nameLookup, age: .seconds(5))
        let lookup = wait.value(age: .seconds(7))
        wait.end()
        let ended = wait.value(age: .seconds(8))
        #expect(none == nil && ended == nil)
        #expect(descriptor == HTTPRequest.Wait(.descriptor, elapsed: .seconds(3)))
        #expect(lookup == HTTPRequest.Wait(.nameLookup, elapsed: .seconds(2)))
    }

    // MARK: Errors

    @Test func aTimeoutWithAWaitIsOfTheSameKind() {
        let timeout = HTTPError.Timeout.total.during(HTTPRequest.Wait(.connection, elapsed: .milliseconds(2500)))
        let error = HTTPError(
            .timeout(timeout), request: HTTPError.RequestSummary(method: .get, url: "http://h/"))
        let isTotal = if case .timeout(.total) = error.reason { true } else { false }
        let isConnect = if case .timeout(.connect) = error.reason { true } else { false }
        #expect(isTotal && !isConnect && error.name == "timeout.total")
        #expect(timeout == .total && timeout.hashValue == HTTPError.Timeout.total.hashValue && timeout != .connect)
        #expect(timeout.wait?.place == .connection && HTTPError.Timeout.total.wait == nil)
        #expect(timeout.description == "the request took too long while it waited 2.5 s for a connection to the host")
    }
}

extension HTTPError {
    /// The wait that the timeout has ended.
    var timeoutWait: HTTPRequest.Wait? {
        if case .timeout(let timeout) = reason { timeout.wait } else { nil }
    }
}

extension HTTPClient {
    /// Waits until the requests wait at these places of the transport, whose thread moves them.
    func waitForPlaces(_ places: [HTTPRequest.Wait.Place?]) async throws {
        let deadline = ContinuousClock.now + .seconds(240)
        while snapshot.requests.map({ $0.wait?.place }) != places {
            guard ContinuousClock.now < deadline else { throw Overdue(what: "the wait", state: "\(snapshot)") }
            await Task.yield()
        }
    }
}
