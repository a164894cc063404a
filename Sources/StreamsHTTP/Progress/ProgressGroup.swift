/// Adds up the progress of many requests.
///
/// ```swift
/// let group = ProgressGroup()
/// let bar = group.publisher.receive(on: DispatchQueue.main).sink { draw($0.fraction, $0.timeLeft) }
/// for url in urls { client.events(for: HTTPRequest(.get, url)).tracking(in: group).sink(...).store(in: &tokens) }
/// ```
///
/// Bytes are counted as they go over the wire, so that a body's encoding makes no difference. A request whose length is
/// not known yet leaves the whole unknown. One that is over, in whatever way, has transferred what it has transferred:
/// the rest of it is not waited for.
public final class ProgressGroup: Sendable {
    private let tally: Locked<ProgressTally>
    private let subject = CurrentValueSubject<GroupProgress, Never>(ProgressTally().progress(at: .zero))
    private let now: @Sendable () -> Duration

    /// Makes a group without requests.
    ///
    /// - Parameters:
    ///   - timeConstant: How far back the rate looks; see ``TransferRate``.
    ///   - clock: What the rate is measured with.
    public init<C: Clock>(
        timeConstant: Duration = .seconds(3), clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        tally = Locked(ProgressTally(timeConstant: timeConstant))
        let start = clock.now
        now = { start.duration(to: clock.now) }
    }

    /// How far the group has come, with the rate as of now.
    public var progress: GroupProgress {
        let now = now()
        return tally.withLock { $0.progress(at: now) }
    }

    /// How far the group has come: what it is at first, and then each change. Never finishes.
    ///
    /// **Demand** A subscriber that asks late gets the newest, and nothing that came between.
    /// **Cancellation** Ends the subscription; the group goes on.
    /// **Threads** Values are delivered serially, on the thread that has news of a request.
    public var publisher: some Publisher<GroupProgress, Never> { subject }

    func add(expecting total: Int64?) -> Int {
        change { $0.add(expecting: total) }
    }

    func update(_ member: Int, _ progress: TransferProgress, total: Int64?) {
        change { $0.update(member, progress, total: total) }
    }

    func finish(_ member: Int) {
        change { $0.finish(member) }
    }

    private func change<Result>(_ change: (inout ProgressTally) -> Result) -> Result {
        let now = now()
        let (result, mustPublish) = tally.withLock { tally in
            let result = change(&tally)
            tally.note(at: now)
            return (result, tally.startPublishing())
        }
        if mustPublish { publish() }
        return result
    }

    /// Publishes what is newest until nothing is newer, by one thread at a time, so that nothing older comes last.
    private func publish() {
        while let progress = nextToPublish() { subject.send(progress) }
    }

    private func nextToPublish() -> GroupProgress? {
        // The clock may be anybody's: not under the lock.
        let now = now()
        return tally.withLock { $0.nextToPublish(at: now) }
    }
}
