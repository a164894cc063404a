/// The two ways in which the upstream can end a stream, mapped to the downstream's completion: the upstream's
/// completion, and an error that the operator's closure throws.
///
/// `catch` and the reducing operators use it, so that an operator and its throwing forms share one mechanism. They
/// differ in the mapping alone. A mapping has no state, so it can be used by any thread.
@usableFromInline
struct CompletionMapping<UpstreamFailure: Error, Thrown: Error, Failure: Error>: Sendable {
    @usableFromInline
    let completion: @Sendable (Subscribers.Completion<UpstreamFailure>) -> Subscribers.Completion<Failure>

    @usableFromInline let failure: @Sendable (Thrown) -> Failure

    @inlinable
    init(
        completion: @escaping @Sendable (Subscribers.Completion<UpstreamFailure>) -> Subscribers.Completion<Failure>,
        failure: @escaping @Sendable (Thrown) -> Failure
    ) {
        self.completion = completion
        self.failure = failure
    }
}

extension CompletionMapping where UpstreamFailure == Failure, Thrown == Never {
    /// The mapping of operators that cannot throw.
    @inlinable static var passing: Self {
        Self(completion: { $0 }, failure: absurd)
    }

    @Sendable
    @usableFromInline static func absurd(_ never: Never) -> Failure {}
}

extension CompletionMapping where Failure == any Error, Thrown == any Error {
    /// The mapping of operators that can throw any error.
    @inlinable static var erasing: Self {
        Self(completion: { $0.erasingFailure() }, failure: { $0 })
    }
}

extension CompletionMapping where UpstreamFailure == Failure, Thrown == Failure {
    /// The mapping of operators that can throw the upstream's type of failure.
    @inlinable static var keeping: Self {
        Self(completion: { $0 }, failure: { $0 })
    }
}
