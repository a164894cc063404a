/// What has been collected, and how the stream ended if it has.
@usableFromInline
struct GroupsByTime<Element> {
    @usableFromInline var elements = RingBuffer<Element>()
    @usableFromInline var isFinished = false

    @inlinable
    init() {}
}

/// The link that collects for ``Publisher/collect(_:options:)``.
@usableFromInline
final class GroupingLink<Relay: PacedRelay, Element>: PacedLink<Relay>, @unchecked Sendable
where Relay.Downstream.Input == [Element], Relay.Waiting == GroupsByTime<Element> {
    // Safe because what changes is behind the lock, and what is inherited is safe.
    @usableFromInline let limit: Int?

    /// What has been asked for and has not come yet, if there is a limit. It belongs to the lock of the pace.
    @exclusivity(unchecked) @usableFromInline var outstanding = Subscribers.Demand.none

    @inlinable
    init(limit: Int?) {
        if let limit { precondition(limit > 0, "an array must have room for one value at least") }
        self.limit = limit
        super.init(.collectByTime)
    }

    /// Adds a value.
    ///
    /// - Returns: Whether the caller is to see to it that a job runs.
    @inlinable
    func collect(_ input: Element, for relay: Relay) -> Bool {
        pace.withLock { pace in
            guard !pace.isOver else { return false }
            if pace.waiting == nil {
                pace.waiting = GroupsByTime()
                pace.relay = relay
            }
            pace.waiting?.elements.append(input)
            outstanding -= 1
            return deliverGroups(from: &pace)
        }
    }

    /// Notes the end of the stream.
    ///
    /// - Returns: Whether the caller is to see to it that a job runs.
    @inlinable
    func complete(_ completion: Subscribers.Completion<Relay.Downstream.Failure>, for relay: Relay) -> Bool {
        let (needsJob, before) = pace.withLock { pace -> (Bool, Pace) in
            let before = pace
            guard !pace.isOver else { return (false, before) }
            if case .finished = completion, pace.waiting != nil {
                pace.waiting?.isFinished = true
                return (deliverGroups(from: &pace), before)
            }
            pace.waiting = nil
            pace.relay = nil
            pace.isOver = true
            return (append(.completion(completion), isLast: true, for: relay), before)
        }
        withExtendedLifetime(before) {}
        return needsJob
    }

    /// Delivers what has been collected. Called on the scheduler.
    @usableFromInline
    func periodEnded() {
        let (needsJob, relay) = pace.withLock { pace in
            let relay = pace.relay
            return (deliverGroups(from: &pace, isDue: true), relay)
        }
        if needsJob { runJob() }
        withExtendedLifetime(relay) {}
    }

    /// Puts the arrays that are complete and wanted into the queue for delivery, and the completion after the last of
    /// them.
    ///
    /// - Returns: Whether the caller is to see to it that a job runs.
    @usableFromInline
    func deliverGroups(from pace: inout Pace, isDue: Bool = false) -> Bool {
        guard let relay = pace.relay, var groups = pace.waiting.take() else { return false }
        var needsJob = false
        while !groups.elements.isEmpty {
            let isFull = limit.map { groups.elements.count >= $0 } ?? false
            guard isDue || isFull || groups.isFinished, pace.takeDemand() else { break }
            let group = takeGroup(from: &groups.elements)
            needsJob = append(.value(group), isLast: false, for: relay) || needsJob
        }
        if groups.elements.isEmpty {
            pace.relay = nil
            if groups.isFinished {
                pace.isOver = true
                needsJob = append(.completion(.finished), isLast: true, for: relay) || needsJob
            }
        } else {
            pace.waiting = groups
        }
        return needsJob
    }

    private func takeGroup(from elements: inout RingBuffer<Element>) -> [Element] {
        let size = limit.map { Swift.min($0, elements.count) } ?? elements.count
        var group: [Element] = []
        group.reserveCapacity(size)
        while group.count < size, let element = elements.popFirst() { group.append(element) }
        return group
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        let (relay, needsJob, missing) = pace.withLock { pace -> (Relay?, Bool, Subscribers.Demand) in
            pace.demand += demand
            let relay = pace.relay
            let needsJob = deliverGroups(from: &pace)
            return (relay, needsJob, takeMissing(in: pace))
        }
        if needsJob { relay?.scheduleJob(at: ()) }
        if missing > .none { requestUpstream(missing) }
    }

    /// How many values are to be asked for so that there will be enough for all the arrays that are wanted. What the
    /// clock has left unused of earlier demand counts.
    private func takeMissing(in pace: Pace) -> Subscribers.Demand {
        guard let limit, outstanding != .unlimited else { return .none }
        let collected = pace.waiting?.elements.count ?? 0
        let missing = pace.demand * limit - collected - outstanding
        outstanding += missing
        return missing
    }

    /// What has been collected is kept for the subscriber.
    @usableFromInline override var dropsUnrequestedValues: Bool { false }
}
