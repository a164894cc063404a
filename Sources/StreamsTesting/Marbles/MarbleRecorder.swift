import Streams

/// A subscriber that records the frame of each signal.
final class MarbleRecorder<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // Safe because a lock guards all mutable state, and a subscription may be used from any thread (rule 4).

    private enum Signal {
        case value(Input)
        case completion(Subscribers.Completion<Failure>)
        case cancellation
    }

    private struct State {
        var signals: [(frame: Int, signal: Signal)] = []
        var subscription: (any Subscription)?
    }

    private let expected: Marbles
    private let scheduler: TestScheduler
    private let frame: TestScheduler.SchedulerTimeType.Stride
    private let start: TestScheduler.SchedulerTimeType
    private let state = Locked(State())

    init(_ expected: Marbles, scheduler: TestScheduler, frame: TestScheduler.SchedulerTimeType.Stride) {
        self.expected = expected
        self.scheduler = scheduler
        self.frame = max(frame, .nanoseconds(1))
        start = scheduler.now
    }

    func receive(subscription: any Subscription) {
        let isFirst = state.withLock { state in
            if state.subscription != nil { return false }
            state.subscription = subscription
            return true
        }
        isFirst ? subscription.request(.unlimited) : subscription.cancel()
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        record(.value(input), at: currentFrame)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        record(.completion(completion), at: currentFrame)
        _ = takeSubscription()
    }

    func cancel(at frame: Int) {
        record(.cancellation, at: frame)
        end()
    }

    /// Cancels the subscription if it has not completed.
    func end() {
        takeSubscription()?.cancel()
    }

    /// Throws if the recorded signals differ from those of the diagram.
    func compare(
        values: [Character: Input], error: Failure?
    ) throws(MarblesMismatch) where Input: Equatable, Failure: Equatable {
        var unnamed = UnnamedValues<Input>()
        var remarks: [String] = []
        let moments = state.withLock { $0.signals }.map { frame, signal in
            switch signal {
            case .value(let value):
                // Several characters may have the same value. Prefer the diagram's own at this frame.
                let names = values.filter { $0.value == value }.keys.sorted()
                let drawn = names.first { expected.moments.contains(Marbles.Moment(frame: frame, mark: .value($0))) }
                return Marbles.Moment(frame: frame, mark: .value(drawn ?? names.first ?? unnamed.name(value)))
            case .completion(.finished):
                return Marbles.Moment(frame: frame, mark: .finish)
            case .completion(.failure(let failure)):
                if let error, failure != error { remarks.append("# is \(failure), not \(error)") }
                return Marbles.Moment(frame: frame, mark: .failure)
            case .cancellation:
                return Marbles.Moment(frame: frame, mark: .cancellation)
            }
        }
        if moments == expected.moments, remarks.isEmpty { return }
        let last = moments.map(\.frame).max() ?? -1
        throw MarblesMismatch(
            expected: expected, actual: Marbles(moments: moments, frameCount: max(expected.frameCount, last + 1)),
            remarks: unnamed.legend + remarks)
    }

    private var currentFrame: Int {
        start.distance(to: scheduler.now).nanoseconds / frame.nanoseconds
    }

    private func record(_ signal: Signal, at frame: Int) {
        state.withLock { $0.signals.append((frame, signal)) }
    }

    private func takeSubscription() -> (any Subscription)? {
        state.withLock { $0.subscription.take() }
    }
}

/// The values for which the test gives no character.
private struct UnnamedValues<Value: Equatable> {
    private static var names: [Character] { Array("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳") }

    private var values: [Value] = []

    /// Returns the character for a value, the same for equal values. All values after the twentieth share one.
    mutating func name(_ value: Value) -> Character {
        let index = values.firstIndex(of: value) ?? values.count
        if index == values.count { values.append(value) }
        return index < Self.names.count ? Self.names[index] : "?"
    }

    var legend: [String] {
        values.enumerated().map { "\($0.offset < Self.names.count ? Self.names[$0.offset] : "?") is \($0.element)" }
    }
}
