/// What an operator does with a value.
@usableFromInline
enum Verdict<Output> {
    /// Pass on what has become of it.
    case pass(Output)

    /// Leave it out, and ask for another one.
    case skip

    /// Leave it out and finish.
    case finish
}

/// What is particular to an operator that passes values on, as they are or transformed, or not. It belongs to the
/// upstream's serial signals.
@usableFromInline
protocol Gate<Input, Output, Thrown> {
    associatedtype Input
    associatedtype Output

    /// What judging a value may throw: `Never`, any error, or the upstream's type of failure.
    associatedtype Thrown: Error

    func judge(_ input: Input) throws(Thrown) -> Verdict<Output>
}

/// The receiving half of the operators that pass values on or not.
@usableFromInline
struct GatingSubscriber<Judge: Gate, Failure: Error, Downstream: Subscriber>: LinkedSubscriber
where Downstream.Input == Judge.Output {
    @usableFromInline typealias Input = Judge.Input

    @usableFromInline let downstream: Downstream
    @usableFromInline let gate: Judge
    @usableFromInline let link: UpstreamLink
    @usableFromInline let ending: Ending<Failure, Judge.Thrown, Downstream.Failure>

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - gate: Belongs to this subscription alone.
    ///   - rules: What stops the program, or counts, out of turn.
    ///   - portrait: What mirrors show.
    @inlinable
    init(
        _ name: OperatorName,
        downstream: Downstream,
        gate: Judge,
        ending: Ending<Failure, Judge.Thrown, Downstream.Failure>,
        rules: LinkRules = [],
        portrait: LinkPortrait? = nil
    ) {
        self.downstream = downstream
        self.gate = gate
        self.ending = ending
        link = .keeping(foreignObject(downstream), name, rules: rules, portrait: portrait)
    }

    @inlinable
    func receive(subscription: any Subscription) {
        if link.attach(subscription) { downstream.receive(subscription: link) }
    }

    @inlinable
    func receive(_ input: Judge.Input) -> Subscribers.Demand {
        guard link.isActive else { return link.refuse() }
        do {
            switch try gate.judge(input) {
            case .pass(let output): return downstream.receive(output)
            case .skip: return .max(1)
            case .finish: if link.cancelUpstream() { downstream.receive(completion: .finished) }
            }
        } catch {
            if link.cancelUpstream() { downstream.receive(completion: .failure(ending.failure(error))) }
        }
        return .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
        if link.finish() { downstream.receive(completion: ending.completion(completion)) }
    }
}
