/// Makes the subscriber's completion out of the upstream's, or out of what an operator's closure has thrown.
///
/// By this an operator and its throwing form share one mechanism: they differ in no more than where a failure may come
/// from.
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
    /// Of operators that cannot throw: the upstream's completion as it is.
    @inlinable static var passing: Self {
        Self(completion: { $0 }, failure: absurd)
    }

    @Sendable
    @usableFromInline static func absurd(_ never: Never) -> Failure {}
}

extension CompletionMapping where Failure == any Error, Thrown == any Error {
    /// Of operators that can throw.
    @inlinable static var erasing: Self {
        Self(completion: { $0.erasingFailure() }, failure: { $0 })
    }
}

extension CompletionMapping where UpstreamFailure == Failure, Thrown == Failure {
    /// Of operators that throw the upstream's own type of failure.
    @inlinable static var keeping: Self {
        Self(completion: { $0 }, failure: { $0 })
    }
}
