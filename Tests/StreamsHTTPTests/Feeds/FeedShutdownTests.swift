import Foundation
import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

/// Feeds whose client shuts down.
@Suite(.reservesDescriptors) struct FeedShutdownTests {
    enum Kind: CaseIterable {
        case events
        case lines
        case polls
        case longPolls
    }

    private let scheduler = TestScheduler()

    /// Records the names of a feed's events and its completion.
    private func record(_ kind: Kind, _ client: HTTPClient) -> any AnyFeedRecorder {
        let request = HTTPRequest(.get, "/")
        switch kind {
        case .events: return record(client.serverSentEvents(for: request))
        case .lines: return record(client.lines(for: request))
        case .polls: return record(client.polls(for: request, every: .seconds(10)))
        case .longPolls: return record(client.longPolls(for: request, atMostEvery: .seconds(10)) { _ in request })
        }
    }

    private func record<Element>(_ feed: Feed<Element>) -> FeedRecorder<Element> {
        FeedRecorder(of: feed.events)
    }

    /// A transport whose responses are elements of each kind of feed.
    private func transport(answering answer: AnsweringTransport.Answer? = nil) -> AnsweringTransport {
        AnsweringTransport { _, _ in
            answer ?? .reply(.ok, ["Content-Type": "text/event-stream"], "data: a\n\n")
        }
    }

    @Test(arguments: Kind.allCases) func finishesAFeedThatWaitsForItsPlace(kind: Kind) async throws {
        let client = transport(answering: .silence).client(scheduler) { $0.limits.maxConcurrentFeeds = 1 }
        let feeds = [record(kind, client), record(kind, client)]
        try await feeds[0].waitForEvent("connecting 1")
        await client.shutdown()
        for feed in feeds { #expect(try await feed.end().failure == nil) }
    }

    @Test(arguments: Kind.allCases) func finishesAFeedThatConnects(kind: Kind) async throws {
        let transport = transport(answering: .silence)
        let client = transport.client(scheduler)
        let feed = record(kind, client)
        try await transport.requests.wait(for: "a request") { $0.count == 1 }
        await client.shutdown()
        let end = try await feed.end()
        #expect(end.failure == nil && end.outline == ["connecting 1"])
    }

    @Test(arguments: Kind.allCases) func finishesAFeedBetweenTwoRequests(kind: Kind) async throws {
        let client = transport().client(scheduler)
        let feed = record(kind, client)
        try await feed.waitForEvent("waiting: end")
        await client.shutdown()
        #expect(try await feed.end().failure == nil)
        await scheduler.settle()
        #expect(scheduler.pendingCount == 0)
    }

    @Test(arguments: Kind.allCases) func finishesAFeedThatWaitsAfterAFailure(kind: Kind) async throws {
        let client = transport(answering: .reply(.serviceUnavailable)).client(scheduler)
        let feed = record(kind, client)
        try await feed.waitForEvent("waiting: status")
        await client.shutdown()
        #expect(try await feed.end().failure == nil)
        await scheduler.settle()
        #expect(scheduler.pendingCount == 0)
    }

    @Test(arguments: Kind.allCases) func finishesAFeedAfterTheElementThatIsDelivered(kind: Kind) async throws {
        let client = transport().client(scheduler)
        let request = HTTPRequest(.get, "/")
        switch kind {
        case .events: try await expectEnd(client.serverSentEvents(for: request), client)
        case .lines: try await expectEnd(client.lines(for: request), client)
        case .polls: try await expectEnd(client.polls(for: request, every: .zero), client)
        case .longPolls:
            try await expectEnd(client.longPolls(for: request, atMostEvery: .zero) { _ in request }, client)
        }
    }

    /// Expects that a feed finishes after its first element, during whose delivery the client shuts down.
    private func expectEnd<Element>(_ feed: Feed<Element>, _ client: HTTPClient) async throws {
        let (hasFinishedFeeds, hasShutDown) = (Watched(false), Watched(false))
        let recorder = FeedRecorder<Element>(demand: .max(1)) { _, event in
            if case .element = event {
                Task {
                    await client.shutdown()
                    hasShutDown.update { $0 = true }
                }
                hasFinishedFeeds.waitSynchronously { $0 }
            }
            return .none
        }
        feed.events.subscribe(recorder)
        try await recorder.recording.wait(for: "the first event") { $0.events.count == 1 }
        // The client finishes the feeds in their order, so that this one is the last.
        let last = client.polls(for: HTTPRequest(.get, "/"), every: .seconds(10)).sink { _ in
            hasFinishedFeeds.update { $0 = true }
        } receiveValue: { _ in
        }
        #expect(await scheduler.wait(forPending: 1))
        Thread.detachNewThread { recorder.request(.unlimited) }
        let recording = try await recorder.finished()
        #expect(recording.failure == nil)
        #expect(recording.elements.count == 1)
        try await hasShutDown.wait(for: "the shutdown") { $0 }
        withExtendedLifetime(last) {}
    }

    /// The client refuses the next request of one poll while the other one's subscriber handles its completion.
    @Test func finishesAPollWhoseNextRequestIsRefused() async throws {
        let client = transport().client(scheduler)
        let second = Watched<Subscribers.Completion<HTTPError>?>(nil)
        let hasEnded = Watched(false)
        let first = client.polls(for: HTTPRequest(.get, "/"), every: .seconds(10)).sink { [scheduler] _ in
            scheduler.jump(by: .seconds(20))
            hasEnded.waitSynchronously { $0 }
        } receiveValue: { _ in
        }
        #expect(await scheduler.wait(forPending: 1))
        let other = client.polls(for: HTTPRequest(.get, "/"), every: .seconds(10)).sink { completion in
            second.update { $0 = completion }
            hasEnded.update { $0 = true }
        } receiveValue: { _ in
        }
        #expect(await scheduler.wait(forPending: 2))
        await Task(executorPreference: ThreadExecutor()) { await client.shutdown() }.value
        guard case .finished = second.value else {
            Issue.record("\(String(describing: second.value))")
            return
        }
        withExtendedLifetime((first, other)) {}
    }

    @Test(arguments: Kind.allCases) func failsWithTheShutdownOfAnotherClient(kind: Kind) async throws {
        let other = transport().client(scheduler)
        await other.shutdown()
        let client = transport().client(scheduler) {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    _ = try await other.response(for: HTTPRequest(.get, "/"))
                    return request
                })
            ]
        }
        #expect(try await record(kind, client).end().failure?.name == "invalid-request.client-shut-down")
    }

    @Test func finishesManyPollsInTheMiddleOfTheirRequests() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .text("text"))
        let client = server.client()
        let polls = (0..<200).map { _ in record(client.polls(for: HTTPRequest(.get, "/"), every: .milliseconds(1))) }
        for poll in polls { try await poll.recording.wait(for: "an element") { !$0.elements.isEmpty } }
        await client.shutdown()
        for poll in polls { #expect(try await poll.finished().failure == nil) }
    }

    @Test(arguments: Kind.allCases) func refusesAFeedAfterTheShutdown(kind: Kind) async throws {
        let client = transport().client(scheduler)
        await client.shutdown()
        #expect(try await record(kind, client).end().failure?.name == "invalid-request.client-shut-down")
    }
}

/// Runs each job on a thread of its own, which may be blocked.
private final class ThreadExecutor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A recorder of a feed with elements of any type.
private protocol AnyFeedRecorder: Sendable {
    func waitForEvent(_ name: String) async throws
    func end() async throws -> (outline: [String], failure: HTTPError?)
}

extension StreamRecorder: AnyFeedRecorder {
    fileprivate func waitForEvent(_ name: String) async throws {
        try await wait(for: name) { $0.outline.last == name }
    }

    fileprivate func end() async throws -> (outline: [String], failure: HTTPError?) {
        let recording = try await finished()
        return (recording.outline, recording.failure)
    }
}
