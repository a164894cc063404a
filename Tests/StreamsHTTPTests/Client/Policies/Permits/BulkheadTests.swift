import Dispatch
import StreamsTesting
import Testing

@testable import StreamsHTTP

@Suite struct BulkheadTests {
    private let server = PermitServer()

    private func client(_ limit: Int?) -> HTTPClient {
        server.client { $0.limits.maxConcurrentRequestsPerOrigin = limit }
    }

    @Test func startsRequestsInOrder() async throws {
        let client = client(2)
        let recorders = server.start(5, on: client)
        #expect(server.paths == ["/0", "/1"])
        let state = try #require(client.permitState)
        #expect(client.snapshot.origins.map(\.name) == ["http://h:80"])
        #expect(state.running == 2 && state.waitingForPlace == 3)
        server.answer(1)
        #expect(server.paths == ["/0", "/1", "/2"])
        server.fail(0, .transfer(.emptyReply))
        server.answer(2)
        #expect(server.paths == ["/0", "/1", "/2", "/3", "/4"])
        server.answer(3)
        server.answer(4, .internalServerError)
        for recorder in recorders { try await recorder.finished() }
        #expect(client.permitState?.running == 0)
    }

    @Test func limitsEachOriginAlone() async throws {
        let client = client(1)
        let recorders = ["/a", "/b", "http://other/c", "HTTP://H:80/d"].map { server.start($0, on: client) }
        #expect(server.paths == ["/a", "/c"])
        server.answer(0)
        server.answer(1)
        #expect(server.paths == ["/a", "/c", "/b"])
        server.answer(2)
        server.answer(3)
        for recorder in recorders { try await recorder.finished() }
        #expect(server.paths == ["/a", "/c", "/b", "/d"])
    }

    @Test func aRedirectReturnsItsPlaceFirst() async throws {
        let client = client(1)
        let recorder = server.start("/a", on: client)
        server.answer(0, .found, ["Location": "/b"])
        #expect(server.paths == ["/a", "/b"])
        server.answer(1, .found, ["Location": "http://other/c"])
        #expect(server.paths == ["/a", "/b", "/c"])
        server.answer(2)
        try await recorder.finished()
        #expect(client.snapshot.origins.map(\.permits?.running) == [0, 0])
    }

    @Test func aCancellationReturnsAPlaceThatIsOnItsWay() async throws {
        let client = client(2)
        let recorders = server.start(4, on: client)
        // The place of "/1" goes to "/3", which is cancelled before it can begin.
        server.onVisit.update {
            $0 = { [server] path in
                guard path == "/2" else { return }
                server.answer(1)
                recorders[3].cancel()
            }
        }
        server.answer(0)
        #expect(server.paths == ["/0", "/1", "/2"])
        #expect(client.permitState?.running == 1)
        server.answer(2)
        for recorder in recorders.prefix(3) { try await recorder.finished() }
        #expect(client.permitState?.running == 0)
    }

    @Test func cancellationsReturnPlaces() async throws {
        let client = client(2)
        let recorders = server.start(4, on: client)
        recorders[2].cancel()
        recorders[0].cancel()
        #expect(server.paths == ["/0", "/1", "/3"])
        #expect(server.visits.value[0].exchange.abortCount.value == 1)
        recorders[3].cancel()
        recorders[1].cancel()
        let state = try #require(client.permitState)
        #expect(state.running == 0 && state.waitingForPlace == 0)
        // An event that comes late returns nothing a second time.
        server.answer(1)
        #expect(client.permitState?.running == 0)
    }

    @Test func aThousandCancellationsLeakNothing() async throws {
        let client = client(3)
        let holders = server.start(3, on: client)
        let recorders = server.start(1000, on: client)
        #expect(client.permitState?.waitingForPlace == 1000)
        DispatchQueue.concurrentPerform(iterations: 1000) { index in
            if index == 500 { for visit in 0..<3 { server.answer(visit) } }
            recorders[index].cancel()
        }
        for holder in holders { try await holder.finished() }
        let state = try #require(client.permitState)
        #expect(state.running == 0 && state.waitingForPlace == 0)
        let next = server.start(4, on: client)
        #expect(server.visits.value.suffix(3).map(\.path) == ["/0", "/1", "/2"])
        #expect(client.permitState?.running == 3 && client.permitState?.waitingForPlace == 1)
        for recorder in next { recorder.cancel() }
    }

    @Test func theTotalTimeoutEndsTheWait() async throws {
        let client = client(1)
        let hasty = RequestOptions.with { $0.timeouts.total = .seconds(1) }
        let holder = server.start("/a", on: client)
        let waiting = EventRecorder(of: client.events(for: HTTPRequest(.get, "/b", options: hasty)))
        server.scheduler.advance(by: .seconds(1))
        let error = try #require(try await waiting.finished().failure)
        #expect(error.name == "timeout.permit" && !error.mayHaveBeenProcessed && !error.isRetryable)
        server.answer(0)
        try await holder.finished()
        let running = EventRecorder(of: client.events(for: HTTPRequest(.get, "/c", options: hasty)))
        server.scheduler.advance(by: .seconds(1))
        #expect(try await running.finished().failure?.name == "timeout.total")
        #expect(server.paths == ["/a", "/c"] && client.permitState?.running == 0)
    }

    @Test func aTransportThatAnswersAtOnceKeepsTheStackFlat() async throws {
        let transport = AnsweringTransport { _, number in number == 1 ? .silence : .reply(.ok) }
        let client = transport.client { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        let first = server.start("/a", on: client)
        let others = server.start(20_000, on: client)
        first.cancel()
        for other in others { try await other.finished() }
        #expect(client.permitState?.running == 0)
    }

    @Test func feedsTakeNoPlace() async throws {
        let client = client(1)
        let feed = client.serverSentEvents(for: HTTPRequest(.get, "/feed"))
            .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        let first = server.start("/a", on: client)
        #expect(server.paths == ["/feed", "/a"])
        #expect(client.permitState?.running == 1)
        feed.cancel()
        first.cancel()
        #expect(client.permitState?.running == 0)
    }

    @Test func requestsWithoutPoliciesHaveNoPermits() {
        #expect(server.client { _ in }.permits == nil)
    }

    @Test func forgetsIdleOrigins() async throws {
        let transport = AnsweringTransport { _, _ in .reply(.ok) }
        let client = transport.client {
            $0.limits.maxConcurrentRequestsPerOrigin = 1
            $0.limits.circuitBreaker = CircuitBreaker(window: .milliseconds(1))
        }
        for number in 0..<1000 { try await server.start("http://h\(number)/", on: client).finished() }
        #expect(client.snapshot.origins.count { $0.permits != nil } == 1000)
        let scheduler = TestScheduler()
        let later = transport.client(scheduler) { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        for number in 0..<1000 { try await server.start("http://h\(number)/", on: later).finished() }
        #expect(later.snapshot.origins.count { $0.permits != nil } <= 256)
    }

    @Test(arguments: [
        ("http://h", "http://h:80"), ("HTTPS://H.Example/a:1", "https://h.example:443"),
        ("http://h:8080?x", "http://h:8080"), ("http://[::1]/", "http://[::1]:80"),
        ("http://[::1]:81#a", "http://[::1]:81"), ("http://h:/", "http://h:80"),
    ]) func originsAreEqualForEqualServers(url: String, origin: String) {
        #expect(LazyURL(url).origin == origin)
    }
}

extension [EventRecorder<Void>] {
    /// Waits for the failures of all requests.
    func failures() async throws -> [HTTPError] {
        var errors: [HTTPError] = []
        for recorder in self { errors.append(try #require(try await recorder.finished().failure)) }
        return errors
    }
}
