import Streams

/// A publisher that replaces the completion of its upstream, or withholds it. It has no state, and forwards signals that
/// break the contract.
struct CompletionReplacing<Upstream: Publisher, Failure: Error>: Publisher {
    typealias Output = Upstream.Output
    typealias Replacement = @Sendable (Subscribers.Completion<Upstream.Failure>) -> Subscribers.Completion<Failure>?

    let upstream: Upstream
    let replacement: Replacement

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        upstream.subscribe(Inner(downstream: subscriber, replacement: replacement))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber where Downstream.Failure == Failure {
        typealias Failure = Upstream.Failure

        let downstream: Downstream
        let replacement: Replacement

        var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        func receive(_ input: Downstream.Input) -> Subscribers.Demand {
            downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            if let replacement = replacement(completion) { downstream.receive(completion: replacement) }
        }
    }
}

extension Publisher {
    /// Withholds the completion.
    func neverCompleting() -> CompletionReplacing<Self, Failure> {
        CompletionReplacing(upstream: self) { _ in nil }
    }

    /// Finishes if the upstream fails, for operators whose upstream cannot fail.
    func finishingAtFailure() -> CompletionReplacing<Self, Never> {
        CompletionReplacing(upstream: self) { _ in .finished }
    }
}
