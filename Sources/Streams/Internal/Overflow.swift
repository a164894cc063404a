/// What becomes of values for which there is neither demand nor room.
@usableFromInline
enum Overflow<Failure: Error>: Sendable {
    /// There is always room.
    case grows

    /// So many are kept; what comes when that is full is dropped.
    case dropsNewest(beyond: Int)

    /// So many are kept, the newest ones.
    case dropsOldest(beyond: Int)

    /// So many are kept; what comes when that is full ends the stream, after those that are kept.
    case fails(beyond: Int, @Sendable () -> Failure)

    /// Whether values can be lost.
    @usableFromInline var loses: Bool { if case .grows = self { false } else { true } }
}
