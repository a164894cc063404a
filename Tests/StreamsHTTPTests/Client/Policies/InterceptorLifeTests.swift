import StreamsHTTP
import StreamsTesting
import Testing

/// Deadlines and cancellation while interceptors run.
@Suite struct InterceptorLifeTests {
    private let scheduler = TestScheduler()
    private let get = HTTPRequest(.get, "/")
    private let flaky = AnsweringTransport { _, number in number == 1 ? .reply(503) : .reply(200, [:], "well") }

    @Test func theDeadlineHoldsForAdapting() async throws {
        let endless = Endless()
        let client = flaky.client(scheduler) {
            $0.options.timeouts.total = .seconds(5)
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    try await endless.wait()
                    return request
                })
            ]
        }
        let recorder = EventRecorder(of: client.events(for: get))
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
        scheduler.jump(by: .seconds(5))
        let recording = try await recorder.finished()
        #expect(recording.failure?.reason.outline == "timeout.total")
        try await endless.isCancelled.wait(for: "the end of the adapting") { $0 }
        #expect(flaky.requests.value.isEmpty)
    }

    @Test func theDeadlineHoldsForDecidingAndRecovering() async throws {
        for isRecovering in [false, true] {
            let (endless, scheduler) = (Endless(), TestScheduler())
            let transport = AnsweringTransport { _, _ in .failure(.connection(.refused)) }
            let client = transport.client(scheduler) {
                $0.options.timeouts.total = .seconds(5)
                $0.interceptors = [
                    Hook(
                        onRetry: { _, _ in
                            if !isRecovering { try? await endless.wait() }
                            return isRecovering ? .proceed : .retry(after: .zero)
                        },
                        onRecover: { _, context in
                            try await endless.wait()
                            return HTTPResponse(status: .ok, body: Data(), url: context.request.url)
                        })
                ]
            }
            let recorder = EventRecorder(of: client.events(for: get))
            try await endless.hasBegun.wait(for: "the question") { $0 }
            scheduler.jump(by: .seconds(5))
            #expect(try await recorder.finished().failure?.reason.outline == "timeout.total")
            try await endless.isCancelled.wait(for: "the end of the question") { $0 }
            #expect(transport.requests.value.count == 1)
        }
    }

    @Test func aCancelledRequestIsAdaptedNoLonger() async throws {
        let endless = Endless()
        let client = flaky.client {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    try? await endless.wait()
                    return request
                })
            ]
        }
        let recorder = EventRecorder(of: client.events(for: get))
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
        // The adapter is asked on another thread, and may begin before the event is delivered.
        try await recorder.recording.wait(for: "the attempt") { $0.outline == ["attempt 1"] }
        recorder.cancel()
        try await endless.isCancelled.wait(for: "the end of the adapting") { $0 }
        #expect(recorder.recording.value.outline == ["attempt 1"])
        #expect(flaky.requests.value.isEmpty)
    }

    @Test func everyQuestionIsCalledOff() async throws {
        let transport = AnsweringTransport { _, _ in .failure(.connection(.refused)) }
        for _ in 0..<200 {
            let endless = Endless()
            let client = transport.client {
                $0.interceptors = [
                    Hook(onRetry: { _, _ in
                        try? await endless.wait()
                        return .proceed
                    })
                ]
            }
            let recorder = EventRecorder(of: client.events(for: get))
            try await endless.hasBegun.wait(for: "the question") { $0 }
            recorder.cancel()
            try await endless.isCancelled.wait(for: "the end of the question") { $0 }
        }
    }

    @Test func aCancelledRequestLetsGoOfItsSubscriberBeforeItsAdapterAnswers() async throws {
        let (gate, hasBegun) = (AsyncStream<Never>.makeStream(), Watched(false))
        let client = flaky.client {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    hasBegun.update { $0 = true }
                    await Task { for await _ in gate.stream {} }.value
                    return request
                })
            ]
        }
        let isReleased = Watched(false)
        do {
            let token = AnyCancellable { isReleased.update { $0 = true } }
            let recorder = EventRecorder<Void> { _, _ in withExtendedLifetime(token) { .none } }
            client.events(for: get).subscribe(recorder)
            try await hasBegun.wait(for: "the adapting") { $0 }
            recorder.cancel()
        }
        try await isReleased.wait(for: "the release of the subscriber") { $0 }
        gate.continuation.finish()
    }
}
