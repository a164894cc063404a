import Streams

extension TestScheduler {
    /// A publisher that plays a diagram from its beginning to each subscriber, from the moment of its subscription.
    ///
    /// - Parameters:
    ///   - diagram: In the notation of ``Marbles``. What stands before `^` is left out, `!` has no meaning here.
    ///   - frame: How long a character lasts.
    ///   - values: The value of each character.
    ///   - error: What `#` stands for.
    /// - Throws: ``MarblesError`` if the diagram is not one, ``UndefinedMarble`` for a character without a value.
    public func cold<Output, Failure: Error>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output], error: Failure
    ) throws -> MarblePublisher<Output, Failure> {
        let steps = try Marbles(diagram).steps(values: values, error: error)
        return MarblePublisher(scheduler: self, frame: frame, steps: steps)
    }

    /// A cold publisher that does not fail.
    ///
    /// - Throws: As above, and for a `#`.
    public func cold<Output>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output]
    ) throws -> MarblePublisher<Output, Never> {
        MarblePublisher(scheduler: self, frame: frame, steps: try Marbles(diagram).steps(values: values))
    }

    /// A publisher that plays a diagram once, from now on, to whoever is subscribed then.
    ///
    /// - Parameters:
    ///   - diagram: In the notation of ``Marbles``. What stands before `^` is left out, `!` has no meaning here.
    ///   - frame: How long a character lasts.
    ///   - values: The value of each character.
    ///   - error: What `#` stands for.
    /// - Throws: ``MarblesError`` if the diagram is not one, ``UndefinedMarble`` for a character without a value.
    public func hot<Output: Sendable, Failure: Error>(
        _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: Output], error: Failure
    ) throws -> AnyPublisher<Output, Failure> {
        hot(steps: try Marbles(diagram).steps(values: values, error: error), frame: frame)
    }

    /// A hot publisher that does not fail.
    ///
    /// - Throws: As above, and for a `#`.
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

/// A diagram uses a character that stands for nothing.
public struct UndefinedMarble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The character, as it is in the diagram.
    public let character: Character

    public var description: String { "nothing is said of what '\(character)' stands for" }
}

/// The publisher that ``TestScheduler/cold(_:frame:values:error:)`` makes.
///
/// It plays in time whether or not anything is asked for; a value for which there is no demand at its time is kept
/// until there is, as are those behind it and the completion.
public struct MarblePublisher<Output, Failure: Error>: Publisher {
    let scheduler: TestScheduler
    let frame: TestScheduler.SchedulerTimeType.Stride
    let steps: [MarbleStep<Output, Failure>]

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let player = MarblePlayer(AnySubscriber(subscriber), steps: steps)
        subscriber.receive(subscription: player)
        let start = scheduler.now
        for step in steps {
            scheduler.schedule(after: start.advanced(by: frame.times(step.frame))) { player.fallDue() }
        }
    }
}

extension MarblePublisher: Sendable where Output: Sendable {}

/// One signal of a diagram, with what it stands for.
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
