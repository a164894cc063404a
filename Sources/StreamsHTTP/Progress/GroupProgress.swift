/// How far a group of requests has come together.
public struct GroupProgress: Hashable, Sendable {
    /// The bytes of all of them: those transferred, and those there are. The whole is known only where that of each is.
    public let transfer: TransferProgress
    /// How many requests there are, those that are over included.
    public let requestCount: Int
    /// How many of them are over, in whatever way.
    public let finishedCount: Int
    /// Bytes a second, of late; `nil` as long as that would be a guess.
    public let bytesPerSecond: Double?
    /// How long the rest will take at that rate; `nil` where that is not known.
    public let timeLeft: Duration?

    /// Makes a value, for previews and tests; ``ProgressGroup`` makes those of requests.
    public init(
        transfer: TransferProgress, requestCount: Int, finishedCount: Int, bytesPerSecond: Double? = nil,
        timeLeft: Duration? = nil
    ) {
        self.transfer = transfer
        self.requestCount = requestCount
        self.finishedCount = finishedCount
        self.bytesPerSecond = bytesPerSecond
        self.timeLeft = timeLeft
    }

    /// The part of the whole, from 0 to 1; `nil` where the whole is not known, and where there are no requests.
    ///
    /// It falls where another request joins, where a length turns out larger than was expected, and where an attempt is
    /// repeated and its transfer starts anew; otherwise it only grows.
    public var fraction: Double? {
        requestCount > 0 ? transfer.fraction : nil
    }
}
