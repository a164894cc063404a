import Streams

/// A subscriber that notes in which frame of a diagram each signal comes.
final class MarbleRecording<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    // Safe because all that changes is behind a lock, and a subscription may be used from any thread (rule 4).

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
        note(.value(input), at: currentFrame)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        note(.completion(completion), at: currentFrame)
        _ = takeSubscription()
    }

    func cancel(at frame: Int) {
        note(.cancellation, at: frame)
        end()
    }

    /// Cancels what is still going on.
    func end() {
        takeSubscription()?.cancel()
    }

    /// Throws if the signals are not those of the diagram.
    func compare(
        values: [Character: Input], error: Failure?
    ) throws(MarblesMismatch) where Input: Equatable, Failure: Equatable {
        var strangers = Strangers<Input>()
        var remarks: [String] = []
        let moments = state.withLock { $0.signals }.map { frame, signal in
            switch signal {
            case .value(let value):
                // Of several characters for one value, the diagram's own at this place is the one to show.
                let names = values.filter { $0.value == value }.keys.sorted()
                let drawn = names.first { expected.moments.contains(Marbles.Moment(frame: frame, mark: .value($0))) }
                return Marbles.Moment(frame: frame, mark: .value(drawn ?? names.first ?? strangers.name(value)))
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
            remarks: strangers.legend + remarks)
    }

    private var currentFrame: Int {
        start.distance(to: scheduler.now).nanoseconds / frame.nanoseconds
    }

    private func note(_ signal: Signal, at frame: Int) {
        state.withLock { $0.signals.append((frame, signal)) }
    }

    private func takeSubscription() -> (any Subscription)? {
        state.withLock { $0.subscription.take() }
    }
}

/// Values that the test has given no character.
private struct Strangers<Value: Equatable> {
    private static var names: [Character] { Array("①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳") }

    private var values: [Value] = []

    /// The character for a value, the same each time; beyond the twentieth they share one.
    mutating func name(_ value: Value) -> Character {
        let index = values.firstIndex(of: value) ?? values.count
        if index == values.count { values.append(value) }
        return index < Self.names.count ? Self.names[index] : "?"
    }

    var legend: [String] {
        values.enumerated().map { "\($0.offset < Self.names.count ? Self.names[$0.offset] : "?") is \($0.element)" }
    }
}
