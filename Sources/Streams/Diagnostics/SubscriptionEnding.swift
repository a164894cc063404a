/// How a watched subscription ended.
@usableFromInline
enum SubscriptionEnding: Sendable {
    case finished
    case failed(any Error)
    case cancelled

    /// Upstream let go of it without a completion, and nobody holds the subscription any more.
    case abandoned
}
