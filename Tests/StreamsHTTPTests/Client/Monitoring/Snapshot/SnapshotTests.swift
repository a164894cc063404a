import Foundation
import StreamsHTTPTesting
import StreamsTesting
import Testing

@testable import StreamsHTTP

/// Snapshots of requests in virtual time.
@Suite struct SnapshotTests {
    private let server = PermitServer()

    private func head(_ index: Int, _ status: HTTPStatus = .ok) {
        let visit = server.visits.value[index]
        visit.receiver.receive(.head(HTTPResponse(status: status, body: (), url: visit.request.url)))
    }

    @Test func showsThePhasesOfARequest() async throws {
        let isAdapted = Watched(false)
        let client = server.client(.with { $0.retry = RetryPolicy(maxRetries: 1, backoff: .constant(.seconds(5))) }) {
            $0.limits.maxConcurrentRequests = 1
            $0.limits.maxConcurrentRequestsPerOrigin = 1
            $0.interceptors = [
                Hook { request, _ in
                    try await isAdapted.wait(for: "the adaptation") { $0 }
                    return request
                }
            ]
        }
        let phases: @Sendable () -> [String] = { client.snapshot.requests.map(\.phase.rawValue) }
        let recorder = server.start("/a", on: client)
        let next = server.start("/b", on: client)
        #expect(phases() == ["preparing", "queued"])
        isAdapted.update { $0 = true }
        try await server.visits.wait(for: "the first exchange") { $0.count == 1 }
        #expect(phases() == ["sending", "queued"])
        head(0, .serviceUnavailable)
        #expect(phases() == ["receiving", "queued"])
        server.visits.value[0].receiver.receive(.finished)
        try await server.wait(for: recorder, toRetry: 1)
        #expect(phases() == ["waiting for retry", "queued"])
        server.scheduler.advance(by: .seconds(5))
        try await server.visits.wait(for: "the retry") { $0.count == 2 }
        let row = try #require(client.snapshot.requests.first)
        #expect(row.phase == .sending && row.attempt == 2 && row.age == .seconds(5))
        recorder.cancel()
        try await server.visits.wait(for: "the next request") { $0.count == 3 }
        next.cancel()
        #expect(client.snapshot.requests.isEmpty)
    }

    @Test func showsTheWaitForAPermit() {
        let client = server.client { $0.limits.maxConcurrentRequestsPerOrigin = 1 }
        let recorders = server.start(2, on: client)
        #expect(client.snapshot.requests.map(\.phase) == [.sending, .waitingForPermit])
        #expect(client.snapshot.requestQueue.running == 2)
        let origin = client.snapshot.origins.first
        #expect(origin?.name == "http://h:80" && origin?.permits?.running == 1 && origin?.permits?.waitingForPlace == 1)
        for recorder in recorders { recorder.cancel() }
    }

    @Test func aRequestThatCompletesIsEnding() async throws {
        let client = server.client { $0.limits.maxConcurrentRequests = 1 }
        let phases = Watched<[HTTPClient.Snapshot.ActiveRequest.Phase]>([])
        let queue = Watched<HTTPClient.Snapshot.Queue?>(nil)
        let subscription = client.events(for: HTTPRequest(.get, "/a")).sink { _ in
            let snapshot = client.snapshot
            phases.update { $0 = snapshot.requests.map(\.phase) }
            queue.update { $0 = snapshot.requestQueue }
        } receiveValue: { _ in
        }
        server.answer(0)
        try await queue.wait(for: "the completion") { $0 != nil }
        #expect(phases.value == [.ending])
        let counts = try #require(queue.value)
        #expect(counts.running == 0 && counts.waiting == 0 && counts.ending == 1 && counts.limit == 1)
        await client.shutdown()
        #expect(client.snapshot.requests.isEmpty)
        withExtendedLifetime(subscription) {}
    }

    @Test func namesTheCallSite() throws {
        let client = server.client { _ in }
        let subscription = client.publisher(for: Call<Greeting>(.get, "/a")).checkpoint("greetings").sink(
            receiveCompletion: { _ in }, receiveValue: { _ in })
        let unnamed = server.start("/b", on: client)
        let requests = client.snapshot.requests
        #expect(requests.map { $0.callSite?.label } == ["greetings", nil])
        #expect(requests[0].callSite?.fileID == #fileID)
        #expect(Census.current.rows.contains { $0.callSite == requests[0].callSite })
        subscription.cancel()
        unnamed.cancel()
    }

    /// A checkpoint does not name what its values lead to: that has a subscription of its own.
    @Test func aCheckpointNamesOnlyWhatItSubscribesTo() {
        let client = server.client { _ in }
        let subscription = Just("/a").setFailureType(to: HTTPError.self).checkpoint("paths").flatMap {
            client.events(for: HTTPRequest(.get, $0))
        }.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        #expect(client.snapshot.requests.count == 1 && client.snapshot.requests.first?.callSite == nil)
        subscription.cancel()
    }

    @Test func showsNoSecretsAndNoControlCharacters() throws {
        let client = server.client { _ in }
        let recorder = server.start("/a?access_token=secret&x=1%1B%5B2J", on: client)
        let text = "\(client.snapshot)"
        #expect(!text.contains("secret") && text.contains("x=1%1B%5B2J") && text.contains("GET http://h/a?"))
        var dumped = ""
        dump(client.snapshot, to: &dumped)
        #expect(!dumped.contains("secret"))
        recorder.cancel()
    }

    @Test func countsBytesOfTheExchange() throws {
        let client = server.client { _ in }
        let recorder = EventRecorder(of: client.events(for: HTTPRequest(.post, "/a", body: .data(Data(count: 100)))))
        let receiver = server.visits.value[0].receiver
        receiver.receive(.sent(60, of: 100))
        #expect(client.snapshot.requests.first?.sentBytes == 60)
        receiver.receive(.sent(100, of: 100))
        head(0)
        receiver.receive(.chunk(Data(count: 50), received: 20))
        let row = try #require(client.snapshot.requests.first)
        #expect(row.sentBytes == 100 && row.receivedBytes == 20 && row.phase == .receiving && row.attempt == 1)
        recorder.cancel()
    }

    @Test func showsTheUseOfTheRetryBudget() async throws {
        let retry = RetryPolicy(maxRetries: 9, backoff: .constant(.zero))
        let client = server.client(.with { $0.retry = retry }) {
            $0.limits.retryBudget = RetryPolicy.Budget(share: 0.5, reserve: 0.1)
        }
        let recorders = server.start(4, on: client)
        var retries = try #require(client.snapshot.origins.first?.retries)
        // Half of four attempts, and 0.1 a second for ten seconds.
        #expect(retries.firstAttempts == 4 && retries.retries == 0 && retries.available == 3)
        server.fail(0, .connection(.refused))
        server.scheduler.advance()
        try await server.visits.wait(for: "the retry") { $0.count == 5 }
        retries = try #require(client.snapshot.origins.first?.retries)
        #expect(retries.retries == 1 && retries.available == 2)
        server.scheduler.advance(by: .seconds(20))
        #expect(client.snapshot.origins.first?.retries == nil)
        for recorder in recorders { recorder.cancel() }
    }

    @Test func describesItselfAsTables() throws {
        let client = server.client {
            $0.limits.maxConcurrentRequestsPerOrigin = 1
            $0.limits.maxConcurrentRequests = 3
            $0.limits.circuitBreaker = CircuitBreaker()
        }
        let recorders = server.start(4, on: client)
        server.scheduler.advance(by: .milliseconds(1500))
        #expect(
            "\(client.snapshot)" == """
                requests: 3 running, 1 waiting (limit 3); feeds: 0 running, 0 waiting

                                                               phase    age  attempt  sent  received  request
                                                             sending  1.5 s        1     0         0  GET http://h/0
                waiting for permit (1.5 s for a place at the origin)  1.5 s        1     0         0  GET http://h/1
                waiting for permit (1.5 s for a place at the origin)  1.5 s        1     0         0  GET http://h/2
                             queued (1.5 s for a slot of the client)  1.5 s        0     0         0  GET http://h/3

                connecting  open  idle  reused  retries  running  waiting  permits  circuit  origin
                         -     -     -       -        -        1        2        -   closed  http://h:80
                """)
        for recorder in recorders { recorder.cancel() }
        #expect("\(client.snapshot)".hasPrefix("requests: 0 running, 0 waiting (limit 3); feeds: 0 running, 0 waiting"))
    }

    @Test func aLongTableShowsTheOldest() {
        let client = server.client { _ in }
        let recorders = server.start(103, on: client)
        let lines = "\(client.snapshot)".split(separator: "\n")
        #expect(lines.contains("... and 3 more") && lines.count == 103)
        #expect(lines[2].hasSuffix("GET http://h/0") && client.snapshot.requests.count == 103)
        for recorder in recorders { recorder.cancel() }
    }

    /// The queue is locked while its entries are copied. Without optimization, the time says nothing.
    @Test func aLongQueueIsLockedForAMoment() {
        let client = server.client { $0.limits.maxConcurrentRequests = 10 }
        let recorders = server.start(10_000, on: client)
        let times = (0..<20).map { _ in
            ContinuousClock().measure { #expect(client.requestQueue.entries.count == 10_000) }
        }
        if !_isDebugAssertConfiguration() { #expect(times.min() ?? .seconds(1) < .milliseconds(1), "\(times)") }
        for recorder in recorders { recorder.cancel() }
    }

    /// Threads end and cancel requests, which lets others start; in each snapshot the counts are those of the rows.
    @Test func countsAreConsistentUnderLoad() async throws {
        let client = server.client { $0.limits.maxConcurrentRequests = 1500 }
        let recorders = server.start(3000, on: client)
        for part in 0..<2 {
            Thread { [server] in
                for index in stride(from: part, to: 1200, by: 2) {
                    if index % 3 == 0 { recorders[index].cancel() } else { server.answer(index) }
                }
            }.start()
        }
        var counts: [Int] = []
        let deadline = ContinuousClock.now + .seconds(240)
        repeat {
            let snapshot = client.snapshot
            let queue = snapshot.requestQueue
            let phases = snapshot.requests.map(\.phase)
            #expect(queue.running + queue.waiting + queue.ending == phases.count)
            #expect(queue.running <= 1500 && phases.count { $0 == .queued } == queue.waiting)
            #expect(phases.count { $0 == .ending } >= queue.ending)
            counts.append(phases.count)
            await Task.yield()
        } while counts.last != 1800 && ContinuousClock.now < deadline
        #expect(counts.count > 1 && counts.last == 1800 && counts == counts.sorted(by: >))
        for recorder in recorders { recorder.cancel() }
        #expect(client.snapshot.requests.isEmpty)
    }
}
