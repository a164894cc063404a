import Streams
import StreamsTesting
import Testing

@Suite("retry(when:) and repeat(when:)", .timeLimit(.minutes(15)))
struct RetryWhenTests {
    typealias Trigger = PassthroughSubject<Void, TestError>
    typealias Recorder = RecordingSubscriber<Int, TestError>

    let probe = ProbePublisher<Int, TestError>()
    let trigger = Trigger()

    @Test("A value of the trigger starts the next attempt, and receives each failure before")
    func attempts() {
        let errors = LockedValue<[TestError]>([])
        let recorder = Recorder(initialDemand: .max(3))
        probe.retry { [trigger] failures in
            failures.handleEvents(receiveOutput: { error in errors.update { $0.append(error) } })
                .flatMap { _ in trigger.first() }
        }.subscribe(recorder)
        trigger.send()
        #expect(probe.subscriptionCount == 1, "no attempt has ended")
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(errors.value == [.first])
        #expect(probe.subscriptionCount == 1)
        recorder.request(.max(4))
        trigger.send()
        #expect(probe.subscriptionCount == 2)
        #expect(probe.requests == [.max(3), .max(6)])
        probe.send(completion: .failure(.second))
        trigger.send()
        #expect(errors.value == [.first, .second])
        probe.send(2)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription RetryWhen", "1", "2", "finished"])
        #expect(recorder.violations == [])
    }

    @Test("The completion of the trigger ends the stream, while it waits and while an attempt is running")
    func completion() {
        for completion in [Subscribers.Completion<TestError>.finished, .failure(.second)] {
            for isWaiting in [true, false] {
                let (probe, trigger) = (ProbePublisher<Int, TestError>(), Trigger())
                let recorder = Recorder()
                probe.retry { _ in trigger }.subscribe(recorder)
                probe.send(1)
                if isWaiting { probe.send(completion: .failure(.first)) }
                trigger.send(completion: completion)
                #expect(recorder.values == [1])
                #expect(recorder.completion == completion)
                #expect(probe.commands.last?.last == (isWaiting ? .request(.unlimited) : .cancel))
                probe.send(2)
                #expect(recorder.violations == [])
            }
        }
    }

    @Test("A trigger that completes while it is subscribed to, or inside a delivery, ends the stream in order")
    func earlyCompletion() {
        let recorder = Recorder()
        probe.retry { _ in Empty<Void, TestError>() }.subscribe(recorder)
        #expect(recorder.transcript == ["subscription RetryWhen", "finished"])
        #expect(probe.subscriptionCount == 0)

        let inside = Recorder { [trigger] recorder, event in
            if event.value == 1 {
                trigger.send(completion: .finished)
                #expect(recorder.completion == nil)
            }
        }
        count(to: 5).mapError { _ in TestError.first }.retry { [trigger] _ in trigger }.subscribe(inside)
        #expect(inside.transcript == ["subscription RetryWhen", "0", "1", "finished"])
    }

    @Test("A delayed trigger retries after a delay, and zip limits the number of retries")
    func commonTriggers() {
        let scheduler = TestScheduler()
        let recorder = Recorder()
        let attempts = Counter()
        Deferred {
            attempts.increment()
            return Fail<Int, TestError>(error: .first)
        }.retry { failures in
            failures.zip((1...3).publisher.append(0)).flatMap { failure, number in
                number > 0
                    ? Just(()).delay(for: .seconds(number), scheduler: scheduler)
                        .setFailureType(to: TestError.self).eraseToAnyPublisher()
                    : Fail(error: failure).eraseToAnyPublisher()
            }
        }.subscribe(recorder)
        #expect(attempts.value == 1)
        scheduler.advance(by: .seconds(3))
        #expect(attempts.value == 3)
        #expect(recorder.completion == nil)
        scheduler.advance(by: .seconds(3))
        #expect(attempts.value == 4)
        #expect(recorder.completion == .failure(.first))
    }

    @Test("Cancellation cancels the attempt and the trigger, and releases everything")
    func cancellation() {
        for isWaiting in [true, false] {
            let lifetimes = LifetimeTracker()
            let (probe, trigger) = (ProbePublisher<Int, TestError>(), Trigger())
            let recorder = Recorder(keepsSubscription: true)
            do {
                let token = lifetimes.token("closure")
                let downstream = Recorder()
                lifetimes.watch(downstream, as: "downstream")
                probe.retry { failures in
                    failures.map { _ in withExtendedLifetime(token) {} }.setFailureType(to: TestError.self)
                        .prepend(trigger)
                }.handleEvents(receiveOutput: { _ in withExtendedLifetime(token) {} }).subscribe(recorder)
            }
            if isWaiting { probe.send(completion: .failure(.first)) }
            recorder.cancel()
            #expect(lifetimes.alive == [])
            trigger.send()
            #expect(probe.subscriptionCount == 1)
            #expect(recorder.completion == nil)
        }
    }

    @Test("Synchronous attempts leave the stack flat")
    func stack() {
        let attempts = Counter()
        let recorder = Recorder()
        onSmallStack {
            Deferred {
                attempts.increment()
                return Fail<Int, TestError>(error: .first)
            }.retry { failures in
                failures.scan(0) { count, _ in count + 1 }.prefix { $0 < 20_000 }.map { _ in }
                    .setFailureType(to: TestError.self)
            }.subscribe(recorder)
        }
        #expect(attempts.value == 20_000)
        #expect(recorder.completion == .finished)
    }

    @Test("Values that a source sends inside a request are delivered, and its failure after them")
    func nestedValues() {
        typealias Source = ProbePublisher<Int, TestError>
        let applications: [(Source) -> AnyPublisher<Int, TestError>] = [
            { $0.retry { errors in errors.flatMap { Fail<Void, TestError>(error: $0) } }.eraseToAnyPublisher() },
            { $0.repeat { _ in Empty<Void, TestError>(completeImmediately: false) }.eraseToAnyPublisher() },
        ]
        for application in applications {
            for returnsDemand in [false, true] {
                let sent = Counter()
                let source = Source(onRequest: { source, _ in
                    guard sent.value < 5 else { return }
                    source.send(sent.increment())
                    if sent.value == 5 { source.send(completion: .failure(.first)) }
                })
                let recorder = Recorder(initialDemand: .max(1), demandPerValue: returnsDemand ? .max(1) : .none) {
                    if $1.value != nil, !returnsDemand { $0.request(.max(1)) }
                }
                application(source).subscribe(recorder)
                #expect(recorder.values == [1, 2, 3, 4, 5])
                #expect(recorder.completion == .failure(.first))
                #expect(recorder.violations == [])
            }
        }
    }

    @Test("The completion of the trigger and values of another thread are serial")
    func concurrentCompletion() {
        for _ in 0..<200 {
            let (subject, trigger) = (PassthroughSubject<Int, TestError>(), Trigger())
            let recorder = Recorder()
            subject.retry { _ in trigger }.subscribe(recorder)
            concurrently(2) { thread in
                if thread == 0 {
                    for value in 0..<20 { subject.send(value) }
                } else {
                    trigger.send(completion: .failure(.second))
                }
            }
            #expect(recorder.completion == .failure(.second))
            #expect(recorder.values == Array(0..<recorder.values.count))
            #expect(recorder.violations == [])
        }
    }

    @Test("repeat(when:) starts the next round after the end of one, and a failure ends the stream")
    func rounds() {
        let scheduler = TestScheduler()
        let recorder = Recorder()
        probe.repeat { ends in
            ends.delay(for: .seconds(60), scheduler: scheduler).setFailureType(to: TestError.self)
        }.subscribe(recorder)
        probe.send(1)
        probe.send(completion: .finished)
        #expect(probe.subscriptionCount == 1)
        scheduler.advance(by: .seconds(60))
        #expect(probe.subscriptionCount == 2)
        probe.send(2)
        probe.send(completion: .failure(.first))
        #expect(recorder.transcript == ["subscription RepeatWhen", "1", "2", "failure first"])
        #expect(!scheduler.hasWork)
    }
}
