/// The combined progress of a group of requests.
public struct GroupProgress: Hashable, Sendable {
    /// The bytes of all requests. The total is known if the total of every request is, or if it was announced by
    /// ``ProgressGroup/expect(_:bytes:)``.
    public let transfer: TransferProgress
    /// The number of requests, including finished ones and those that were announced.
    public let requestCount: Int
    /// The number of requests that completed, failed or were cancelled. It falls when an operator such as `retry` repeats
    /// a failed one.
    public let finishedCount: Int
    /// The recent rate in bytes per second; `nil` while there is too little data.
    public let bytesPerSecond: Double?
    /// The estimated time left at that rate; `nil` if it is unknown.
    public let timeLeft: Duration?

    /// Creates a value, for previews and tests. ``ProgressGroup`` creates those of requests.
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

    /// The completed fraction, from 0 to 1; `nil` if the total is unknown or there are no requests.
    ///
    /// It falls when another request joins, when a length turns out larger than expected, and when a retry restarts a
    /// transfer. Otherwise it only grows.
    public var fraction: Double? {
        requestCount > 0 ? transfer.fraction : nil
    }
}
