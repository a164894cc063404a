import Streams
import StreamsTesting
import Testing

@Suite("window(count:) and window(for:scheduler:)")
struct WindowTests {
    private typealias Windows = RecordingSubscriber<Operators.Group<Int, Int, TestError>, TestError>

    private let probe = ProbePublisher<Int, TestError>()
    private let scheduler = TestScheduler()

    private func recorder(
        of window: Operators.Group<Int, Int, TestError>, _ demand: Subscribers.Demand = .unlimited
    ) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: demand)
        window.subscribe(recorder)
        return recorder
    }

    /// Subscribes to windows of three seconds and at most four values.
    private func timedWindows() -> Windows {
        let windows = Windows()
        probe.window(for: .seconds(3), scheduler: scheduler, maxCount: 4).subscribe(windows)
        return windows
    }

    @Test("A window ends with its last value")
    func endsAfterTheCount() {
        let windows = Windows()
        probe.window(count: 2).subscribe(windows)
        probe.send(1)
        let first = recorder(of: windows.values[0])
        probe.send(2)
        #expect(first.events == [.subscription("Group"), .value(1), .value(2), .finished])
        #expect(windows.values.count == 1)
        probe.send(3)
        probe.send(completion: .finished)
        #expect(windows.values.map(\.key) == [0, 1])
        #expect(recorder(of: windows.values[1]).events == [.subscription("Group"), .value(3), .finished])
        #expect(windows.completion == .finished)
    }

    @Test("A failure ends the open window")
    func failsTheOpenWindow() {
        let windows = Windows()
        probe.window(count: 2).subscribe(windows)
        for value in 1...3 { probe.send(value) }
        probe.send(completion: .failure(.first))
        let recorders = windows.values.map { recorder(of: $0) }
        #expect(recorders.map(\.completion) == [.finished, .failure(.first)])
        #expect(windows.completion == .failure(.first))
    }

    @Test("A window of time begins with its first value, and ends without another one")
    func endsAfterTheTime() {
        let windows = timedWindows()
        scheduler.advance(by: .seconds(10))
        #expect(windows.values.isEmpty && scheduler.pendingCount == 0)
        probe.send(1)
        scheduler.advance(by: .seconds(2))
        probe.send(2)
        let first = recorder(of: windows.values[0])
        scheduler.advance(by: .milliseconds(999))
        #expect(first.completion == nil)
        scheduler.advance(by: .milliseconds(1))
        #expect(first.values == [1, 2])
        #expect(first.completion == .finished)
        scheduler.advance(by: .seconds(10))
        probe.send(3)
        #expect(windows.values.map(\.key) == [0, 1])
        #expect(recorder(of: windows.values[1]).values == [3])
    }

    @Test("The number of values ends a window before its time, and the next one has a whole time")
    func endsAfterTheCountOrTheTime() {
        let windows = timedWindows()
        for value in 1...4 { probe.send(value) }
        #expect(recorder(of: windows.values[0]).completion == .finished)
        #expect(scheduler.pendingCount == 0)
        scheduler.advance(by: .seconds(2))
        probe.send(5)
        scheduler.advance(by: .seconds(2))
        let second = recorder(of: windows.values[1])
        #expect(second.completion == nil)
        scheduler.advance(by: .seconds(1))
        #expect(second.completion == .finished)
    }

    @Test("As many values are requested as were consumed, whatever the window")
    func requestsWhatWasConsumed() {
        let windows = Windows()
        probe.window(count: 2, bufferSize: 4).subscribe(windows)
        for value in 1...4 { probe.send(value) }
        #expect(probe.commands == [[.request(.max(4))]])
        let first = recorder(of: windows.values[0], .max(1))
        #expect(probe.commands[0].count == 2)
        first.request(.max(1))
        #expect(first.completion == .finished)
        #expect(probe.commands[0].count == 3)
        // The second window is dropped with both of its values.
        recorder(of: windows.values[1], .none).cancel()
        #expect(probe.commands[0].dropFirst() == [.request(.max(1)), .request(.max(1)), .request(.max(2))])
    }

    @Test("The values of a cancelled window are dropped until it ends")
    func dropsTheRestOfACancelledWindow() {
        let windows = Windows()
        probe.window(count: 3).subscribe(windows)
        probe.send(1)
        recorder(of: windows.values[0]).cancel()
        for value in 2...4 { probe.send(value) }
        #expect(windows.values.map(\.key) == [0, 1])
        #expect(recorder(of: windows.values[1]).values == [4])
    }

    @Test("After the cancellation of the windows, the open one ends as it would, and then the upstream is cancelled")
    func cancelsAfterTheOpenWindow() {
        let windows = timedWindows()
        probe.send(1)
        let first = recorder(of: windows.values[0])
        windows.cancel()
        probe.send(2)
        #expect(first.values == [1, 2])
        #expect(!probe.commands[0].contains(.cancel))
        scheduler.advance(by: .seconds(3))
        #expect(first.completion == .finished)
        #expect(probe.commands[0].last == .cancel)
        #expect(scheduler.pendingCount == 0)
    }

    @Test("The last cancellation cancels the upstream and the timer, and releases everything")
    func releasesEverything() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<LifetimeToken, Never>()
        do {
            let token = lifetimes.token("closure")
            let subscription = subject.window(for: .seconds(1), scheduler: scheduler)
                .flatMap(maxPublishers: .max(1)) { $0 }
                .sink { _ in withExtendedLifetime(token) {} }
            subject.send(lifetimes.token("value"))
            #expect(scheduler.pendingCount == 1)
            subscription.cancel()
        }
        #expect(scheduler.pendingCount == 0)
        #expect(lifetimes.alive == [])
    }

    @Test("Finished windows and groups release what they held")
    func finishedWindowsReleaseEverything() {
        let lifetimes = LifetimeTracker()
        let kept = LockedValue<[AnyCancellable]>([])
        do {
            let subject = PassthroughSubject<LifetimeToken, Never>()
            let windows = subject.window(count: 2).flatMap { $0 }.sink { _ in }
            let groups = subject.group { _ in 0 }.flatMap { $0 }.sink { _ in }
            kept.update { $0 = [windows, groups] }
            for name in ["1", "2", "3"] { subject.send(lifetimes.token(name)) }
            subject.send(completion: .finished)
        }
        #expect(lifetimes.alive == [])
        withExtendedLifetime(kept) {}
    }
}
