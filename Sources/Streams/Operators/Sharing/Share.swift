import Synchronization

extension Publisher {
    /// Publishes the values of one upstream subscription to all subscribers.
    ///
    /// ```
    /// ──1──2──3──|
    ///   share()
    /// A 1──2──3──|
    /// B ───2──3──|
    /// ```
    ///
    /// The first subscriber subscribes to the upstream. A subscriber that comes after the last one has cancelled
    /// subscribes anew, and receives nothing of the earlier subscription.
    ///
    /// **Demand.** All values are requested. A subscriber misses values that it has not requested in time.
    ///
    /// **Completion.** All subscribers receive the completion, also those that come later.
    ///
    /// **Cancellation.** When the last subscriber cancels before the completion, its thread cancels the upstream, also while
    /// that is being subscribed to.
    ///
    /// **Threads.** Signals arrive on the upstream's thread.
    @inlinable
    public func share() -> Publishers.Share<Self> {
        Publishers.Share(upstream: self)
    }
}

extension Publishers {
    /// A publisher that shares one upstream subscription. It is equal only to itself.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to share.
        public let upstream: Upstream
        @usableFromInline let connection = SharedConnection<PassthroughSubject<Output, Failure>>()

        /// Creates a publisher; ``Publisher/share()`` does the same.
        @inlinable
        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // Combine describes the subscription so.
            connection.subscribe(subscriber, to: upstream, as: "Multicast") { PassthroughSubject() }
        }

        public static func == (lhs: Publishers.Share<Upstream>, rhs: Publishers.Share<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because a lock guards the connection's state.
extension Publishers.Share: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Publishes the values of one upstream subscription to all subscribers, and the newest ones to later subscribers.
    ///
    /// ```
    /// ──1──2──3─────|
    ///   share(replay: 1)
    /// A 1──2──3─────|
    /// B ──────2─3───|        subscribes after 2
    /// C               3|     subscribes after the end
    /// ```
    ///
    /// The first subscriber subscribes to the upstream. A subscriber that comes after the last one has cancelled
    /// subscribes anew, and receives nothing of the earlier subscription.
    ///
    /// **Demand.** All values are requested. A subscriber receives a value later that it has not requested in time, as
    /// long as the value is among those kept.
    ///
    /// **Completion.** All subscribers receive the completion after the values kept, also those that come later.
    ///
    /// **Cancellation.** A cancellation by the last subscriber, before the completion, cancels the upstream and
    /// releases the values.
    ///
    /// **Threads.** Values kept arrive on the thread that requests them, other signals on the upstream's thread.
    ///
    /// - Parameter count: The number of values to keep.
    @inlinable
    @_disfavoredOverload
    public func share(replay count: Int) -> Operators.ShareReplay<Self> {
        Operators.ShareReplay(upstream: self, count: count)
    }
}

extension Operators {
    /// A publisher that shares one upstream subscription and its newest values. It is equal only to itself.
    public final class ShareReplay<Upstream: Publisher>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to share.
        public let upstream: Upstream

        /// The number of values to keep.
        public let count: Int

        @usableFromInline let connection = SharedConnection<ReplaySubject<Output, Failure>>()

        /// Creates a publisher; ``Publisher/share(replay:)`` does the same.
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "the number of values must not be negative")
            self.upstream = upstream
            self.count = count
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            connection.subscribe(subscriber, to: upstream, as: "ShareReplay") { ReplaySubject(bufferSize: count) }
        }

        public static func == (lhs: ShareReplay<Upstream>, rhs: ShareReplay<Upstream>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because a lock guards the connection's state.
extension Operators.ShareReplay: @unchecked Sendable where Upstream: Sendable, Upstream.Output: Sendable {}

extension Publisher {
    /// Shares like ``share(replay:)``, and keeps the upstream subscription for a time after the last subscriber has
    /// cancelled.
    ///
    /// ```
    /// ──1──2──3──4──5───────
    ///   share(replay: 1, grace: .seconds(2), scheduler: queue)
    /// A 1──2✕                      cancels after 2
    /// B ──────────3──4──5───       subscribes one second after 3, to the same upstream subscription
    /// ```
    ///
    /// So a subscriber that follows shortly does not pay for another connection, as when a feed's only reader is replaced
    /// by another one. Use ``share(replay:)`` if the upstream is to be cancelled at once.
    ///
    /// **Demand.** All values are requested, also without subscribers. A subscriber receives a value later that it has
    /// not requested in time, as long as the value is among those kept.
    ///
    /// **Completion.** All subscribers receive the completion after the values kept, also those that come later.
    ///
    /// **Cancellation.** A cancellation by the last subscriber, before the completion, starts the grace. If there is no
    /// subscriber when it ends, the upstream is cancelled and the values are released.
    ///
    /// **Threads.** The grace ends on the scheduler. Values kept arrive on the thread that requests them, other signals on
    /// the upstream's thread.
    ///
    /// - Parameters:
    ///   - count: The number of values to keep.
    ///   - grace: The time without subscribers, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and cancels the upstream.
    ///   - options: The scheduler's options.
    public func share<Context: Scheduler>(
        replay count: Int = 0, grace: Context.SchedulerTimeType.Stride, scheduler: Context,
        options: Context.SchedulerOptions? = nil
    ) -> Operators.ShareWithGrace<Self, Context> {
        Operators.ShareWithGrace(upstream: self, count: count, grace: grace, scheduler: scheduler, options: options)
    }
}

extension Operators {
    /// A publisher that shares one upstream subscription, and keeps it for a time without subscribers. It is equal only
    /// to itself.
    public final class ShareWithGrace<Upstream: Publisher, Context: Scheduler>: Publisher, Equatable {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The publisher to share.
        public let upstream: Upstream

        /// The number of values to keep.
        public let count: Int

        /// The time without subscribers.
        public let grace: Context.SchedulerTimeType.Stride

        /// The scheduler that measures the time and cancels the upstream.
        public let scheduler: Context

        /// The scheduler's options.
        public let options: Context.SchedulerOptions?

        private let connection: SharedConnection<ReplaySubject<Output, Failure>>

        /// Creates the publisher of ``Publisher/share(replay:grace:scheduler:options:)``.
        public init(
            upstream: Upstream, count: Int, grace: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            precondition(count >= 0, "the number of values must not be negative")
            self.upstream = upstream
            self.count = count
            self.grace = grace
            self.scheduler = scheduler
            self.options = options
            connection = SharedConnection { job in
                scheduler.startTimer(at: scheduler.now.advanced(by: grace), interval: grace, options: options, job)
            }
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            connection.subscribe(subscriber, to: upstream, as: "ShareWithGrace") { ReplaySubject(bufferSize: count) }
        }

        public static func == (lhs: ShareWithGrace<Upstream, Context>, rhs: ShareWithGrace<Upstream, Context>) -> Bool {
            lhs === rhs
        }
    }
}

// Safe because a lock guards the connection's state, and the scheduler may be used from any thread.
extension Operators.ShareWithGrace: @unchecked Sendable
where Upstream: Sendable, Upstream.Output: Sendable, Context: Sendable {}

/// A subject that a ``SharedConnection`` can use.
@usableFromInline
protocol ShareableSubject: Subject {
    /// Whether the subject has completed. True before any subscriber receives the completion.
    var isFinished: Bool { get }
}

extension PassthroughSubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

extension ReplaySubject: ShareableSubject {
    @usableFromInline var isFinished: Bool { core.isFinished.load(ordering: .acquiring) }
}

/// The connection of ``Publisher/share()`` and its forms: a subject, its upstream subscription, and the number of
/// subscribers.
///
/// All three are replaced at once when the last subscriber has cancelled before the end, or when the grace after that has
/// passed. So a later subscriber receives no value and no completion of the old connection, also if that is ending at the
/// same time.
@usableFromInline
final class SharedConnection<SubjectType: ShareableSubject> {
    private struct Connection {
        var subject: SubjectType?
        var subscriberCount = 0
        var upstream: (any Cancellable)?

        /// Whether the subject has been subscribed to, and has neither subscribers nor a completion for later ones.
        var isUnused: Bool { subscriberCount == 0 && subject?.isFinished == false }
    }

    private struct State {
        var connection = Connection()
        /// The timer of the grace.
        var timer = TimerSlot()

        /// Adds a subscriber if there is a subject to subscribe to.
        ///
        /// - Returns: The subject, and the timer for the caller to cancel.
        mutating func join() -> (SubjectType, timer: (any Cancellable)?)? {
            guard let subject = connection.subject else { return nil }
            connection.subscriberCount += 1
            return (subject, timer.advance())
        }

        /// Resets an unused connection. The caller cancels and releases the earlier one.
        mutating func abandonIfUnused() -> Connection {
            connection.isUnused ? exchange(&connection, with: Connection()) : Connection()
        }
    }

    private let state = Locked(State())
    /// Starts the timer for an unused connection; nil if there is no grace.
    private let startTimer: ((ScheduledJob) -> any Cancellable)?

    @usableFromInline
    init(startTimer: ((ScheduledJob) -> any Cancellable)? = nil) {
        self.startTimer = startTimer
    }

    /// Subscribes to the subject, and then the subject to the upstream if this is the first subscriber.
    ///
    /// - Parameters:
    ///   - name: The description of the subscription.
    ///   - makeSubject: A closure that creates a subject. It is unused if another thread is quicker.
    @inlinable
    func subscribe<S: Subscriber, Upstream: Publisher>(
        _ subscriber: S, to upstream: Upstream, as name: String, makeSubject: () -> SubjectType
    )
    where
        S.Input == SubjectType.Output, S.Failure == SubjectType.Failure,
        Upstream.Output == SubjectType.Output, Upstream.Failure == SubjectType.Failure
    {
        let (subject, isFirst) = join(makeSubject)
        let link = SharedLink(name) { [self] isCancelled in
            // After a completion, later subscribers receive that completion.
            if isCancelled { leave(subject) }
        }
        subject.subscribe(SharedSubscriber(downstream: subscriber, link: link))
        guard isFirst else { return }
        let source = SubjectSubscriber(subject)
        // Stored before, as the upstream may emit while it is subscribed to, and the last subscriber cancel then.
        if store(AnyCancellable(taking: source.link), for: subject) { upstream.subscribe(source) }
    }

    /// Adds a subscriber.
    ///
    /// - Returns: The subject to subscribe to, and whether the caller has to connect it after that.
    @usableFromInline
    func join(_ makeSubject: () -> SubjectType) -> (subject: SubjectType, isFirst: Bool) {
        if let (subject, timer) = state.withLock({ $0.join() }) {
            timer?.cancel()
            return (subject, false)
        }
        let fresh = makeSubject()
        let joined = state.withLock { state in
            if let joined = state.join() { return joined }
            state.connection = Connection(subject: fresh, subscriberCount: 1)
            return (fresh, nil)
        }
        joined.timer?.cancel()
        return (joined.0, joined.0 === fresh)
    }

    /// Stores the upstream subscription of a subject.
    ///
    /// - Returns: Whether the subject still has subscribers, so that the caller has to subscribe it.
    @usableFromInline
    func store(_ upstream: any Cancellable, for subject: SubjectType) -> Bool {
        state.withLock { state in
            guard state.connection.subject === subject else { return false }
            state.connection.upstream = upstream
            return true
        }
    }

    /// Removes a subscriber that has cancelled.
    @usableFromInline
    func leave(_ subject: SubjectType) {
        let (abandoned, graceGeneration) = state.withLock { state -> (Connection, UInt64?) in
            guard state.connection.subject === subject else { return (Connection(), nil) }
            state.connection.subscriberCount -= 1
            guard startTimer != nil else { return (state.abandonIfUnused(), nil) }
            return (Connection(), state.connection.isUnused ? state.timer.generation : nil)
        }
        abandoned.upstream?.cancel()
        if let graceGeneration { startGrace(graceGeneration) }
    }

    /// Starts the timer, unless there is a subscriber again.
    private func startGrace(_ generation: UInt64) {
        guard let timer = startTimer?(ScheduledJob { [self] _ in endGrace(generation) }) else { return }
        let isStored = state.withLock { $0.timer.store(timer, generation: generation) }
        if !isStored { timer.cancel() }
    }

    /// Abandons the connection, unless there was a subscriber meanwhile or the upstream has completed.
    private func endGrace(_ generation: UInt64) {
        let (timer, abandoned) = state.withLock { state in
            guard generation == state.timer.generation else { return ((any Cancellable)?.none, Connection()) }
            return (state.timer.advance(), state.abandonIfUnused())
        }
        timer?.cancel()
        abandoned.upstream?.cancel()
    }
}
