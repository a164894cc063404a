import StreamsHTTP
import StreamsTesting
import Testing

/// How interceptors get on with deadlines and cancellation, and what they are told.
@Suite struct InterceptorLifeTests {
    private let scheduler = TestScheduler()
    private let get = HTTPRequest(.get, "/")
    private let flaky = AnsweringTransport { _, number in number == 1 ? .reply(503) : .reply(200, [:], "well") }

    @Test func theDeadlineHoldsForAdapting() async throws {
        let endless = Endless()
        let client = flaky.client(scheduler) {
            $0.options.timeouts = Timeouts(total: .seconds(5))
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    try await endless.wait()
                    return request
                })
            ]
        }
        let recorder = EventRecorder<Void>()
        client.events(for: get).subscribe(recorder)
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
        scheduler.jump(by: .seconds(5))
        let recording = try await recorder.finished()
        #expect(recording.failure?.reason.outline == "timeout(total)")
        try await endless.isCancelled.wait(for: "the end of the adapting") { $0 }
        #expect(flaky.requests.value.isEmpty)
    }

    @Test func theDeadlineHoldsForDecidingAndRecovering() async throws {
        for isRecovering in [false, true] {
            let (endless, scheduler) = (Endless(), TestScheduler())
            let transport = AnsweringTransport { _, _ in .failure(.connection(.refused)) }
            let client = transport.client(scheduler) {
                $0.options.timeouts = Timeouts(total: .seconds(5))
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
            let recorder = EventRecorder<Void>()
            client.events(for: get).subscribe(recorder)
            try await endless.hasBegun.wait(for: "the question") { $0 }
            scheduler.jump(by: .seconds(5))
            #expect(try await recorder.finished().failure?.reason.outline == "timeout(total)")
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
        let recorder = EventRecorder<Void>()
        client.events(for: get).subscribe(recorder)
        try await endless.hasBegun.wait(for: "the adapting") { $0 }
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
            let recorder = EventRecorder<Void>()
            client.events(for: get).subscribe(recorder)
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
        weak var subscriber: EventRecorder<Void>?
        do {
            let recorder = EventRecorder<Void>()
            subscriber = recorder
            client.events(for: get).subscribe(recorder)
            try await hasBegun.wait(for: "the adapting") { $0 }
            recorder.cancel()
        }
        #expect(subscriber == nil)
        gate.continuation.finish()
    }
}

// MARK: Observation

extension InterceptorLifeTests {
    private func observing(_ seen: Watched<[String]>) -> Hook {
        Hook(onObserve: { event, _ in seen.update { $0.append(event.outline) } })
    }

    @Test func whatHappensIsToldInOrder() async throws {
        let seen = Watched<[String]>([])
        let transport = AnsweringTransport { request, number in
            switch (request.url.path(), number) {
            case ("/", _): .reply(302, ["Location": "/there"])
            case (_, 2): .reply(503)
            default: .reply(200, [:], "well")
            }
        }
        let client = transport.client {
            $0.interceptors = [observing(seen), Hook(onRetry: { _, _ in .retry(after: .zero) })]
        }
        _ = try await client.data(for: get)
        try await seen.wait(for: "the end") { $0.last == "finished 200" }
        #expect(
            seen.value == [
                "attempt 1", "sending /", "head 302", "sending /there", "head 503", "retrying", "attempt 2",
                "sending /",
                "head 302", "sending /there", "head 200", "finished 200",
            ])
    }

    @Test func failuresAndCancellationsAreTold() async throws {
        let seen = Watched<[String]>([])
        let transport = AnsweringTransport { request, _ in
            request.url.path() == "/silent" ? .silence : .failure(.connection(.refused))
        }
        let client = transport.client { $0.interceptors = [observing(seen)] }
        _ = try await failure { () async throws(HTTPError) in try await client.data(for: get) }
        try await seen.wait(for: "the end") { $0 == ["attempt 1", "sending /", "failed connection"] }
        let recorder = EventRecorder<Void>()
        client.events(for: HTTPRequest(.get, "/silent")).subscribe(recorder)
        try await seen.wait(for: "the sending") { $0.last == "sending /silent" }
        recorder.cancel()
        try await seen.wait(for: "the cancellation") { $0.last == "cancelled" }
    }

    @Test func requestsAreToldApart() async throws {
        let ids = Watched<[Int]>([])
        let client = flaky.client {
            $0.interceptors = [
                Hook(
                    onRetry: { _, _ in .retry(after: .zero) },
                    onObserve: { event, context in
                        if case .attempt = event { ids.update { $0.append(context.id) } }
                    })
            ]
        }
        _ = try await client.data(for: get)
        _ = try await client.data(for: get)
        let seen = ids.value
        #expect(seen.count == 3 && seen[0] == seen[1] && seen[1] != seen[2])
    }
}
