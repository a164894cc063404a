import Dispatch
import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// The progress of many requests together.
@Suite(.reservesDescriptors) struct ProgressGroupTests {
    private typealias Event = RequestEvent<Void>
    private let url: URL
    private let clock = ManualClock()
    private let group: ProgressGroup

    init() throws {
        url = try #require(URL(string: "http://h/"))
        group = ProgressGroup(timeConstant: .seconds(3), clock: clock)
    }

    /// A request whose events are the test's.
    private struct Request {
        let events = PassthroughSubject<Event, HTTPError>()
        let token: AnyCancellable

        init(
            _ direction: TransferProgress.Direction = .download, in group: ProgressGroup, expecting length: Int64? = nil
        ) {
            token = events.tracking(direction, in: group, expecting: length)
                .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        }
    }

    private func attempt(_ number: Int = 1, _ method: HTTPMethod = .get) -> Event {
        .attempt(HTTPRequest.Attempt(number: number, method: method, url: url))
    }

    private func head(_ length: Int64?, _ status: HTTPStatus = .ok) -> Event {
        let headers: HTTPHeaders = length.map { ["Content-Length": "\($0)"] } ?? [:]
        return .head(HTTPResponse(status: status, headers: headers, body: (), url: url))
    }

    private func download(_ completed: Int64, of total: Int64?) -> Event {
        .downloadProgress(TransferProgress(completed: completed, total: total))
    }

    private var response: Event { .response(HTTPResponse(status: .ok, body: (), url: url)) }

    @Test func aGroupOfNobodyIsNowhere() {
        #expect(group.progress.fraction == nil)
        #expect(
            group.progress
                == ProgressGroup.Progress(
                    transfer: TransferProgress(completed: 0, total: 0), requestCount: 0, finishedCount: 0))
    }

    @Test func theWholeIsKnownWhenEachIs() throws {
        let (first, second) = (Request(in: group), Request(in: group))
        for request in [first, second] { request.events.send(attempt()) }
        first.events.send(head(100))
        first.events.send(download(50, of: 100))
        #expect(group.progress.fraction == nil)
        second.events.send(head(300))
        #expect(group.progress.fraction == 0.125)
        second.events.send(download(150, of: 300))
        #expect(group.progress.fraction == 0.5)
        first.events.send(download(100, of: 100))
        first.events.send(response)
        first.events.send(completion: .finished)
        #expect(group.progress.fraction == 0.625)
        #expect(group.progress.requestCount == 2 && group.progress.finishedCount == 1)
        second.events.send(download(300, of: 300))
        second.events.send(response)
        #expect(group.progress.fraction == 1 && group.progress.finishedCount == 2)
        #expect(group.progress.timeLeft == .zero)
    }

    @Test func aLengthThatIsExpectedCountsUntilTheServerSaysOtherwise() throws {
        let request = Request(in: group, expecting: 1000)
        #expect(group.progress.fraction == 0)
        request.events.send(attempt())
        request.events.send(head(500))
        request.events.send(download(250, of: 500))
        #expect(group.progress.fraction == 0.5)
    }

    @Test func anUnknownLengthIsKnownAtTheEnd() throws {
        let (known, unknown) = (Request(in: group), Request(in: group))
        for request in [known, unknown] { request.events.send(attempt()) }
        known.events.send(head(100))
        unknown.events.send(head(nil))
        unknown.events.send(download(300, of: nil))
        #expect(group.progress.fraction == nil && group.progress.transfer.completed == 300)
        unknown.events.send(response)
        #expect(group.progress.fraction == 0.75)
    }

    @Test func aRetryStartsAnew() throws {
        let request = Request(in: group)
        request.events.send(attempt())
        request.events.send(head(100))
        clock.advance(by: .seconds(1))
        request.events.send(download(80, of: 100))
        let before = try #require(group.progress.bytesPerSecond)
        request.events.send(attempt(2))
        #expect(group.progress.fraction == nil && group.progress.transfer.completed == 0)
        // What was moved was moved.
        #expect(try #require(group.progress.bytesPerSecond) == before)
        request.events.send(head(200))
        request.events.send(download(100, of: 200))
        #expect(group.progress.fraction == 0.5)
        #expect(group.progress.requestCount == 1)
    }

    @Test func resubscriptionAfterAFailureIsNotAnotherRequest() throws {
        let events = Watched<[PassthroughSubject<Event, HTTPError>]>([])
        let token = Deferred {
            let subject = PassthroughSubject<Event, HTTPError>()
            events.update { $0.append(subject) }
            return subject
        }
        .tracking(in: group, expecting: 100).retry(2)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in })
        let error = HTTPError(.transfer(.other), request: HTTPError.RequestSummary(method: .get, url: "http://h/"))
        for index in 0..<3 {
            let subject = try #require(events.value.last)
            subject.send(attempt())
            subject.send(download(50, of: 100))
            #expect(group.progress.requestCount == 1 && group.progress.finishedCount == 0)
            #expect(group.progress.transfer == TransferProgress(completed: 50, total: 100))
            if index < 2 { subject.send(completion: .failure(error)) }
        }
        let last = try #require(events.value.last)
        last.send(response)
        last.send(completion: .finished)
        #expect(events.value.count == 3)
        #expect(group.progress.requestCount == 1 && group.progress.finishedCount == 1)
        withExtendedLifetime(token) {}
    }

    @Test func eachSubscriptionThatSucceedsIsARequest() async throws {
        let events = [attempt(), head(10), download(10, of: 10), response].publisher.setFailureType(to: HTTPError.self)
        let tracked = events.tracking(in: group)
        for try await _ in tracked.values {}
        for try await _ in tracked.values {}
        #expect(group.progress.requestCount == 2 && group.progress.finishedCount == 2)
    }

    @Test func announcedRequestsCountBeforeTheyBegin() throws {
        group.expect(2, bytes: 400)
        #expect(group.progress.fraction == 0 && group.progress.requestCount == 2 && group.progress.finishedCount == 0)
        let first = Request(in: group)
        first.events.send(attempt())
        first.events.send(head(100))
        first.events.send(download(100, of: 100))
        first.events.send(response)
        #expect(group.progress.fraction == 0.25)
        #expect(group.progress.requestCount == 2 && group.progress.finishedCount == 1)
        let second = Request(in: group)
        second.events.send(attempt())
        #expect(group.progress.fraction == 0.25)
        // The server knows better than the announcement.
        second.events.send(head(100))
        #expect(group.progress.fraction == 0.5)
        second.events.send(download(100, of: 100))
        second.events.send(response)
        #expect(group.progress.fraction == 1 && group.progress.finishedCount == 2)
    }

    @Test func announcementsAddUp() throws {
        group.expect(1, bytes: 100)
        group.expect(1, bytes: 300)
        #expect(group.progress.requestCount == 2 && group.progress.transfer.total == 400)
        group.expect(1)
        #expect(group.progress.requestCount == 3 && group.progress.fraction == nil)
        group.expect(.max, bytes: .max)
        group.expect(-1, bytes: -1)
        #expect(group.progress.requestCount == .max)
    }

    @Test func totalIsAtLeastWhatIsKnown() throws {
        group.expect(2, bytes: 100)
        let request = Request(in: group)
        request.events.send(attempt())
        request.events.send(head(300))
        request.events.send(download(150, of: 300))
        withExtendedLifetime(request) { #expect(group.progress.fraction == 0.5) }
    }

    @Test func totalOfMoreRequestsThanAnnouncedIsUnknown() throws {
        group.expect(1, bytes: 100)
        let requests = [Request(in: group), Request(in: group)]
        for request in requests { request.events.send(attempt()) }
        #expect(group.progress.fraction == nil && group.progress.requestCount == 2)
        for request in requests { request.events.send(head(50)) }
        withExtendedLifetime(requests) { #expect(group.progress.transfer.total == 100) }
    }

    @Test func theBodyOfAnErrorIsNotTheWhole() throws {
        let request = Request(in: group)
        request.events.send(attempt())
        request.events.send(head(5, .serviceUnavailable))
        #expect(group.progress.fraction == nil)
    }

    @Test(arguments: ["failure", "cancellation"])
    func whatIsOverIsNotWaitedFor(way: String) throws {
        let (lost, kept) = (Request(in: group), Request(in: group))
        for request in [lost, kept] {
            request.events.send(attempt())
            request.events.send(head(100))
        }
        lost.events.send(download(20, of: 100))
        let error = HTTPError(.transfer(.other), request: HTTPError.RequestSummary(method: .get, url: "http://h/"))
        if way == "failure" { lost.events.send(completion: .failure(error)) } else { lost.token.cancel() }
        #expect(group.progress.transfer.total == 120 && group.progress.finishedCount == 1)
        kept.events.send(download(100, of: 100))
        #expect(group.progress.fraction == 1)
    }

    @Test func anUploadIsCompleteWithTheHead() throws {
        let request = Request(.upload, in: group)
        request.events.send(attempt(1, .put))
        #expect(group.progress.fraction == nil)
        request.events.send(.uploadProgress(TransferProgress(completed: 30, total: 120)))
        #expect(group.progress.fraction == 0.25)
        // The server does without the rest, and another attempt sends it all.
        request.events.send(head(5, .serviceUnavailable))
        #expect(group.progress.fraction == 1)
        request.events.send(attempt(2, .put))
        request.events.send(.uploadProgress(TransferProgress(completed: 60, total: 120)))
        #expect(group.progress.fraction == 0.5)
        request.events.send(.uploadProgress(TransferProgress(completed: 120, total: 120)))
        request.events.send(head(5))
        request.events.send(download(5, of: 5))
        #expect(group.progress.transfer == TransferProgress(completed: 120, total: 120))
    }

    @Test func lengthsMayBeAsLargeAsServersLike() throws {
        let requests = (0..<4).map { _ in Request(in: group) }
        for request in requests {
            request.events.send(attempt())
            request.events.send(head(.max))
            request.events.send(download(.max - 1, of: .max))
        }
        #expect(group.progress.fraction == 1)
        for request in requests { request.token.cancel() }
        #expect(group.progress.fraction == 1)
    }

    @Test func moreThanTheWholeIsTheWhole() throws {
        let request = Request(in: group)
        request.events.send(attempt())
        request.events.send(download(300, of: 100))
        #expect(group.progress.fraction == 1 && group.progress.transfer.total == 300)
    }

    @Test func rateAndTimeLeftAreOfAllTogether() throws {
        let (first, second) = (Request(in: group), Request(in: group))
        for request in [first, second] {
            request.events.send(attempt())
            request.events.send(head(10_000))
        }
        for time in 1...5 {
            clock.advance(by: .seconds(1))
            first.events.send(download(Int64(time) * 300, of: 10_000))
            second.events.send(download(Int64(time) * 700, of: 10_000))
        }
        let progress = group.progress
        #expect(abs(try #require(progress.bytesPerSecond) - 1000) < 1)
        #expect(abs(try #require(progress.timeLeft) / .seconds(1) - 15) < 0.1)
    }

    @Test func whoeverIsSlowGetsTheNewest() throws {
        let seen = Watched<[Int64]>([])
        let subscription = Watched<[Handle]>([])
        group.publisher.subscribe(
            AnySubscriber<ProgressGroup.Progress, Never>(
                receiveSubscription: { given in
                    subscription.update { $0 = [Handle(subscription: given)] }
                    given.request(.max(1))
                },
                receiveValue: { value in
                    seen.update { $0.append(value.transfer.completed) }
                    return .none
                }))
        let request = Request(in: group)
        request.events.send(attempt())
        for step in 1...100 { request.events.send(download(Int64(step), of: 100)) }
        #expect(seen.value == [0])
        subscription.value.first?.subscription.request(.max(1))
        #expect(seen.value == [0, 100])
    }

    private struct Handle: @unchecked Sendable {
        // Safe because a subscription may be asked and cancelled from any thread.
        let subscription: any Subscription
    }

    /// A clock that does something whenever it is looked at, but for the first time and while that goes on.
    private struct BusyClock: Clock {
        let isBusy = Watched(true)
        let onLook = Watched<(@Sendable () -> Void)?>(nil)

        var now: ContinuousClock.Instant {
            let isMine = isBusy.update { isBusy in
                defer { isBusy = true }
                return !isBusy
            }
            if isMine {
                onLook.value?()
                isBusy.update { $0 = false }
            }
            return .now
        }

        var minimumResolution: Duration { .zero }

        func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
    }

    @Test func theTimeIsAskedForWhileOthersMayLook() throws {
        let clock = BusyClock()
        let group = ProgressGroup(clock: clock)
        let looks = Watched<[Bool]>([])
        clock.onLook.update {
            $0 = {
                let isDone = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    _ = group.progress
                    isDone.signal()
                }
                let hasLooked = isDone.wait(timeout: .now() + 5) == .success
                looks.update { $0.append(hasLooked) }
            }
        }
        clock.isBusy.update { $0 = false }
        _ = Request(in: group)
        #expect(!looks.value.isEmpty && looks.value.allSatisfy { $0 })
        clock.onLook.update { $0 = nil }
    }

    @Test func fromManyThreadsTheLastIsTheNewest() async throws {
        let group = group
        let last = Watched<ProgressGroup.Progress?>(nil)
        let token = group.publisher.sink { progress in last.update { $0 = progress } }
        let attempt = attempt()
        let steps = (1...100).map { download(Int64($0), of: 100) }
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            let request = Request(in: group)
            request.events.send(attempt)
            for step in steps { request.events.send(step) }
            request.events.send(completion: .finished)
        }
        let progress = try await last.wait(for: "the end") { $0?.finishedCount == 50 }
        #expect(progress?.transfer == TransferProgress(completed: 5000, total: 5000))
        token.cancel()
    }

    @Test func requestsOnTheWire() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/", .generated(100_000))
        let client = server.client()
        let fractions = Watched<[Double?]>([])
        let token = group.publisher.sink { progress in fractions.update { $0.append(progress.fraction) } }
        let group = group
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<5 {
                tasks.addTask {
                    let events = client.events(for: HTTPRequest(.get, "/"))
                    var body = Data()
                    for try await event in events.tracking(in: group, expecting: 100_000).values {
                        if case .chunk(let chunk) = event { body.append(chunk) }
                    }
                    #expect(body.count == 100_000 && GeneratedBytes.matches(body, at: 0))
                }
            }
            try await tasks.waitForAll()
        }
        #expect(group.progress.transfer == TransferProgress(completed: 500_000, total: 500_000))
        #expect(group.progress.finishedCount == 5)
        for fraction in fractions.value.compactMap({ $0 }) { #expect((0...1).contains(fraction)) }
        token.cancel()
    }
}
