import Streams

extension TestScheduler {
    /// Creates a publisher that plays a diagram to each subscriber from its subscription on.
    ///
    /// - Parameters:
    ///   - diagram: A diagram in the notation of ``Marbles``. Signals before `^` and a `!` are ignored.
    ///   - frame: The duration of a character.
    ///   - values: The value of each character.
    ///   - error: The error of `#`.
    /// - Throws: ``MarblesError`` if the diagram is invalid, ``UndefinedMarble`` for a character without a value.
    public func cold<Output, Failure: Error>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output], error: Failure
    ) throws -> MarblePublisher<Output, Failure> {
        let steps = try Marbles(diagram).steps(values: values, error: error)
        return MarblePublisher(scheduler: self, frame: frame, steps: steps)
    }

    /// Creates a publisher that plays a diagram without a failure to each subscriber from its subscription on.
    ///
    /// - Parameters:
    ///   - diagram: A diagram in the notation of ``Marbles``. Signals before `^` and a `!` are ignored.
    ///   - frame: The duration of a character.
    ///   - values: The value of each character.
    /// - Throws: ``MarblesError`` if the diagram is invalid, ``UndefinedMarble`` for a `#` and for a character without
    ///   a value.
    public func cold<Output>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output]
    ) throws -> MarblePublisher<Output, Never> {
        MarblePublisher(scheduler: self, frame: frame, steps: try Marbles(diagram).steps(values: values))
    }

    /// Creates a publisher that plays a diagram once, from now on, to its current subscribers.
    ///
    /// - Parameters:
    ///   - diagram: A diagram in the notation of ``Marbles``. Signals before `^` and a `!` are ignored.
    ///   - frame: The duration of a character.
    ///   - values: The value of each character.
    ///   - error: The error of `#`.
    /// - Throws: ``MarblesError`` if the diagram is invalid, ``UndefinedMarble`` for a character without a value.
    public func hot<Output: Sendable, Failure: Error>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output], error: Failure
    ) throws -> AnyPublisher<Output, Failure> {
        hot(steps: try Marbles(diagram).steps(values: values, error: error), frame: frame)
    }

    /// Creates a publisher that plays a diagram without a failure once, from now on, to its current subscribers.
    ///
    /// - Parameters:
    ///   - diagram: A diagram in the notation of ``Marbles``. Signals before `^` and a `!` are ignored.
    ///   - frame: The duration of a character.
    ///   - values: The value of each character.
    /// - Throws: ``MarblesError`` if the diagram is invalid, ``UndefinedMarble`` for a `#` and for a character without
    ///   a value.
    public func hot<Output: Sendable>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output]
    ) throws -> AnyPublisher<Output, Never> {
        hot(steps: try Marbles(diagram).steps(values: values), frame: frame)
    }

    private func hot<Output: Sendable, Failure: Error>(
        steps: [MarbleStep<Output, Failure>], frame: SchedulerTimeType.Stride
    ) -> AnyPublisher<Output, Failure> {
        let subject = PassthroughSubject<Output, Failure>()
        let start = now
        for step in steps {
            schedule(after: start.advanced(by: frame.times(step.frame))) {
                switch step.signal {
                case .value(let value): subject.send(value)
                case .completion(let completion): subject.send(completion: completion)
                }
            }
        }
        return subject.eraseToAnyPublisher()
    }
}

/// An error that names a character of a diagram that has no value.
public struct UndefinedMarble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The character in the diagram.
    public let character: Character

    public var description: String { "no value is given for '\(character)'" }
}

/// The publisher that ``TestScheduler/cold(_:frame:values:error:)`` returns.
///
/// It plays in time with or without demand. A value without demand is kept until it is requested, and so are the
/// signals after it.
public struct MarblePublisher<Output, Failure: Error>: Publisher {
    let scheduler: TestScheduler
    let frame: TestScheduler.SchedulerTimeType.Stride
    let steps: [MarbleStep<Output, Failure>]

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let subscription = MarbleSubscription(AnySubscriber(subscriber), steps: steps)
        subscriber.receive(subscription: subscription)
        let start = scheduler.now
        for step in steps {
            scheduler.schedule(after: start.advanced(by: frame.times(step.frame))) { subscription.deliverNextStep() }
        }
    }
}

extension MarblePublisher: Sendable where Output: Sendable {}

/// A signal of a diagram and its frame.
struct MarbleStep<Output, Failure: Error> {
    enum Signal {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
    }

    let frame: Int
    let signal: Signal
}

extension MarbleStep: Sendable where Output: Sendable {}
extension MarbleStep.Signal: Sendable where Output: Sendable {}

extension Marbles {
    fileprivate func steps<Output, Failure: Error>(
        values: [Character: Output], error: Failure
    ) throws(UndefinedMarble) -> [MarbleStep<Output, Failure>] {
        try steps(values: values, failure: error)
    }

    fileprivate func steps<Output>(
        values: [Character: Output]
    ) throws(UndefinedMarble) -> [MarbleStep<Output, Never>] {
        try steps(values: values, failure: nil)
    }

    private func steps<Output, Failure: Error>(
        values: [Character: Output], failure: Failure?
    ) throws(UndefinedMarble) -> [MarbleStep<Output, Failure>] {
        var steps: [MarbleStep<Output, Failure>] = []
        for moment in moments where moment.frame >= 0 {
            switch moment.mark {
            case .value(let character):
                guard let value = values[character] else { throw UndefinedMarble(character: character) }
                steps.append(MarbleStep(frame: moment.frame, signal: .value(value)))
            case .finish:
                steps.append(MarbleStep(frame: moment.frame, signal: .completion(.finished)))
            case .failure:
                guard let failure else { throw UndefinedMarble(character: "#") }
                steps.append(MarbleStep(frame: moment.frame, signal: .completion(.failure(failure))))
            case .cancellation:
                continue
            }
        }
        return steps
    }
}

extension TestScheduler.SchedulerTimeType.Stride {
    func times(_ count: Int) -> Self {
        let (product, overflow) = nanoseconds.multipliedReportingOverflow(by: count)
        return .nanoseconds(overflow ? .max : product)
    }
}
