/// A group of requests whose progress is added up.
///
/// ```swift
/// let group = ProgressGroup()
/// let bar = group.publisher.receive(on: DispatchQueue.main).sink { draw($0.fraction, $0.timeLeft) }
/// for url in urls { client.events(for: HTTPRequest(.get, url)).tracking(in: group).sink(...).store(in: &tokens) }
/// ```
///
/// Bytes are counted on the wire, before decoding. A request that has ended counts only the bytes that it transferred,
/// even if it failed or was cancelled. The total is unknown while the length of any request is, unless the lengths were
/// announced before with ``expect(_:bytes:)``:
///
/// ```swift
/// group.expect(files.count, bytes: files.map(\.size).reduce(0, +))
/// ```
///
/// A request counts once, whatever its number of attempts: those of a ``RetryPolicy``, and those of an operator such as
/// `retry` behind `tracking(_:in:expecting:)`.
public final class ProgressGroup: Sendable {
    private let aggregator: Locked<ProgressAggregator>
    private let subject = CurrentValueSubject<Progress, Never>(ProgressAggregator().progress(at: .zero))
    private let now: @Sendable () -> Duration

    /// Creates a group without requests.
    ///
    /// - Parameters:
    ///   - timeConstant: The time constant of the rate's average; see ``TransferProgress/Rate``.
    ///   - clock: The clock that measures the rate.
    public init<C: Clock>(
        timeConstant: Duration = .seconds(3), clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        aggregator = Locked(ProgressAggregator(timeConstant: timeConstant))
        let start = clock.now
        now = { start.duration(to: clock.now) }
    }

    /// Announces requests that will join the group, so that its counts and its total include them from now on.
    ///
    /// The announced bytes are the least total until every announced request has begun and its length is known. From
    /// then on, the known lengths are the total. Several announcements add up. If more requests join than were
    /// announced, the total is unknown while the length of any request is.
    ///
    /// - Parameters:
    ///   - count: The number of requests.
    ///   - bytes: The sum of their lengths; `nil` if it is unknown. The total is then unknown until all have begun.
    public func expect(_ count: Int, bytes: Int64? = nil) {
        change { $0.announce(count, bytes: bytes) }
    }

    /// The current progress, with the current rate.
    public var progress: Progress {
        let now = now()
        return aggregator.withLock { $0.progress(at: now) }
    }

    /// A publisher of the current progress, then of each change. It never completes.
    ///
    /// **Demand** Without demand, only the newest value is kept.
    /// **Cancellation** Cancels the subscription. The requests continue.
    /// **Threads** Values are delivered serially, on the thread that updates the progress of a request.
    public var publisher: some Publisher<Progress, Never> { subject }

    /// Changes the sums, and publishes the progress.
    func change<Result>(_ change: (inout ProgressAggregator) -> Result) -> Result {
        let now = now()
        let (result, mustPublish) = aggregator.withLock { aggregator in
            let result = change(&aggregator)
            aggregator.note(at: now)
            return (result, aggregator.startPublishing())
        }
        if mustPublish { publish() }
        return result
    }

    /// Publishes the newest progress until there is none. Only one thread publishes at a time, so that an older value
    /// never follows a newer one.
    private func publish() {
        while let progress = nextToPublish() { subject.send(progress) }
    }

    private func nextToPublish() -> Progress? {
        // Read outside the lock: the clock may be user code.
        let now = now()
        return aggregator.withLock { $0.nextToPublish(at: now) }
    }
}

extension ProgressGroup {
    /// The combined progress of a group of requests.
    public struct Progress: Hashable, Sendable {
        /// The bytes of all requests. The total is known if the total of every request is, or if it was announced by
        /// ``ProgressGroup/expect(_:bytes:)``.
        public let transfer: TransferProgress
        /// The number of requests, including finished ones and those that were announced.
        public let requestCount: Int
        /// The number of requests that completed, failed or were cancelled. It falls when an operator such as `retry`
        /// repeats a failed one.
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
        /// It falls when another request joins, when a length turns out larger than expected, and when a retry restarts
        /// a transfer. Otherwise it only grows.
        public var fraction: Double? {
            requestCount > 0 ? transfer.fraction : nil
        }
    }
}
