import Dispatch
import StreamsTesting
import Testing

@testable import StreamsHTTP

private enum Trace {
    @TaskLocal static var id: String?
    @TaskLocal static var span: Span?
}

private final class Span: Sendable {
    let isReleased: Watched<Bool>

    init(_ isReleased: Watched<Bool>) {
        self.isReleased = isReleased
    }

    deinit { isReleased.update { $0 = true } }
}

/// The task-local values that user code sees.
@Suite struct TaskLocalsTests {
    /// The calls, each with the value it saw.
    private final class Log: EventMonitor, AuthorizationProvider {
        let calls = Watched<[String]>([])

        func record(_ call: String) {
            let id = Trace.id ?? "none"
            calls.update { $0.append("\(call): \(id)") }
        }

        func requestStarted(_ request: MonitoredRequest) { record("started") }

        func request(_ request: MonitoredRequest, received event: RequestEvent<Data>) { record(event.name) }

        func requestEnded(
            _ request: MonitoredRequest, with completion: Subscribers.Completion<HTTPError>,
            metrics: HTTPRequest.Metrics
        ) {
            record("ended")
        }

        func authorize(_ request: TransportRequest) async throws -> TransportRequest {
            record("authorize")
            await Task.yield()
            record("authorize, later")
            return request
        }

        func makeReauthorizationRequest() async throws -> Never? {
            record("reauthorize")
            return nil
        }
    }

    private let log = Log()
    private let scheduler = TestScheduler()
    private let request = HTTPRequest(.get, "/")
    private let transport = AnsweringTransport { request, _ in
        request.url.path() == "/there" ? .reply(401) : .reply(302, ["Location": "/there"])
    }

    private func client() -> HTTPClient {
        transport.client(scheduler) { [log, scheduler] in
            $0.monitors = [log]
            $0.authorization = log
            $0.interceptors = [
                Hook(
                    onAdapt: { request, _ in
                        log.record("adapt")
                        // An interceptor may block: it must not run on the thread of the transport or the subscriber.
                        withUnsafeCurrentTask { task in
                            let executor = task?.unownedTaskExecutor
                            if executor != scheduler.asUnownedTaskExecutor() { log.record("executor") }
                        }
                        return request
                    },
                    onRetry: { _, context in
                        log.record("retry")
                        return context.attempt == 1 ? .retry(after: .seconds(1)) : .proceed
                    },
                    onRecover: { _, context in
                        log.record("recover")
                        return HTTPResponse(status: .ok, body: Data(), url: context.request.url)
                    })
            ]
        }
    }

    private let adapting = ["adapt", "authorize", "authorize, later"]

    @Test func everyCallForASubscriptionSeesItsValues() async throws {
        let recorder = EventRecorder<Void>()
        Trace.$id.withValue("a") { client().events(for: request).subscribe(recorder) }
        try #require(await scheduler.wait(forPending: 1))
        Trace.$id.withValue("b") { scheduler.jump(by: .seconds(1)) }
        try await recorder.finished()
        let calls = try await log.calls.wait(for: "the end") { $0.last?.hasPrefix("ended") == true }
        let attempt = ["attempt"] + adapting + adapting + ["head", "retry"]
        let expected = ["started"] + attempt + ["retrying"] + attempt + ["reauthorize", "recover", "response", "ended"]
        #expect(calls.sorted() == expected.map { "\($0): a" }.sorted())
    }

    @Test func everyCallForAnAsyncCallSeesTheTasksValues() async throws {
        async let response = Trace.$id.withValue("a") { try await client().response(for: request) }
        try #require(await scheduler.wait(forPending: 1))
        scheduler.jump(by: .seconds(1))
        #expect(try await response.status == .ok)
        let calls = try await log.calls.wait(for: "the end") { $0.last?.hasPrefix("ended") == true }
        #expect(calls.count == 24 && calls.allSatisfy { $0.hasSuffix(": a") })
    }

    @Test func aMonitorIsCalledBeforeTheSubscriber() async throws {
        let log = log
        let client = transport.client {
            $0.monitors = [log]
            $0.options.validation = .acceptAll
        }
        let recorder = EventRecorder<Void> { _, event in
            log.record("subscriber of \(event.name)")
            return .none
        }
        Trace.$id.withValue("a") { client.events(for: HTTPRequest(.get, "/")).subscribe(recorder) }
        try await recorder.finished()
        let events = ["attempt", "head", "download", "response"].flatMap { ["\($0): a", "subscriber of \($0): none"] }
        #expect(log.calls.value == ["started: a"] + events + ["ended: a"])
    }

    @Test func aFinishedRequestReleasesTheValues() async throws {
        let isReleased = Watched(false)
        let recorder = EventRecorder<Void>()
        Trace.$span.withValue(Span(isReleased)) { client().events(for: request).subscribe(recorder) }
        try #require(await scheduler.wait(forPending: 1))
        #expect(!isReleased.value)
        recorder.cancel()
        try await isReleased.wait(for: "the release of the values") { $0 }
    }

    @Test func aReleasedSubscriptionReleasesTheValues() async throws {
        let isReleased = Watched(false)
        let subscription = Watched<RequestSubscription?>(nil)
        let subscriber = AnySubscriber<RequestEvent<Void>, HTTPError>(
            receiveSubscription: { given in subscription.update { $0 = given as? RequestSubscription } },
            receiveValue: { _ in .none },
            receiveCompletion: { _ in })
        Trace.$span.withValue(Span(isReleased)) { client().events(for: request).subscribe(subscriber) }
        #expect(subscription.value != nil && !isReleased.value)
        subscription.update { $0 = nil }
        try await isReleased.wait(for: "the release of the values") { $0 }
    }

    @Test func callsAreMadeOneAfterTheOtherOnTheCallersThread() {
        let locals = Trace.$id.withValue("a") { CapturedTaskLocals() }
        let calls = Watched<[String]>([])
        let thread = pthread_self()
        locals.run {
            #expect(pthread_equal(thread, pthread_self()) != 0)
            locals.run { calls.update { $0.append("inner \(Trace.id ?? "none")") } }
            calls.update { $0.append("outer \(Trace.id ?? "none")") }
        }
        #expect(calls.value == ["outer a", "inner a"])
        #expect(Trace.id == nil)
        locals.end()
        locals.run { calls.update { $0.append("late") } }
        #expect(calls.value.count == 2)
    }

    @Test func callsFromManyThreadsAreSerial() {
        final class Counter: @unchecked Sendable {
            // Safe because the calls are serial, which the Thread Sanitizer checks.
            var count = 0
        }
        let locals = CapturedTaskLocals()
        let counter = Counter()
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<1000 { locals.run { counter.count += 1 } }
        }
        let total = Watched(0)
        locals.run { total.update { $0 = counter.count } }
        #expect(total.value == 4000)
    }
}
