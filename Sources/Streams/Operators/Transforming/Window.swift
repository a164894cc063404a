extension Publisher {
    /// Divides the values into windows of a number of values, and publishes a publisher of the values of each window.
    ///
    /// ```
    /// ──1──2──3──4──5──|
    ///   window(count: 2)
    /// ──A─────B─────C──|
    ///   A 1──2|
    ///         B 3──4|
    ///               C 5|
    /// ```
    ///
    /// In contrast to ``collect(_:)``, the values of a window are not held back until it is complete.
    ///
    /// A window has one subscriber; a second one finishes at once. Its values wait for its subscriber in a buffer that all
    /// windows share.
    ///
    /// **Demand.** `bufferSize` values are requested at the start, and another one for each that a window's subscriber has
    /// received. So a window that is kept and not consumed holds up the others once the buffer is full. A window that is
    /// released without a subscriber drops its values.
    ///
    /// **Completion** follows the values in the window, and then in the stream of windows. A failure too.
    ///
    /// **Cancellation** of a window drops its values. Cancellation of the stream of windows opens no more of them, and
    /// cancels the upstream when the open window has ended or is cancelled too.
    ///
    /// **Threads.** A value is delivered on the upstream's thread or on the one that requests it.
    ///
    /// - Parameters:
    ///   - count: The number of values in a window, at least one.
    ///   - bufferSize: The largest number of values that wait, at least one.
    public func window(count: Int, bufferSize: Int = 256) -> Operators.Window<Self> {
        Operators.Window(upstream: self, count: count, bufferSize: bufferSize, startTimer: nil)
    }

    /// Divides the values into windows of time, and publishes a publisher of the values of each window.
    ///
    /// ```
    /// ──1──2────────3──4──5──|
    ///   window(for: .seconds(2), scheduler: queue)
    /// ──A───────────B────────|
    ///   A 1──2──|
    ///               B 3──4──5|
    /// ```
    ///
    /// A window begins with its first value and ends after its time or after a number of values, whichever is first. So
    /// there are no empty windows, and no timer while there are no values. Otherwise like
    /// ``window(count:bufferSize:)``.
    ///
    /// - Parameters:
    ///   - duration: The time from the first value to the end of a window, on the scheduler's clock.
    ///   - scheduler: The scheduler that measures the time and ends the windows.
    ///   - options: The scheduler's options.
    ///   - maxCount: The largest number of values in a window, at least one.
    ///   - bufferSize: The largest number of values that wait, at least one.
    public func window<Context: Scheduler & Sendable>(
        for duration: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil,
        maxCount: Int = .max, bufferSize: Int = 256
    ) -> Operators.Window<Self> where Context.SchedulerTimeType.Stride: Sendable, Context.SchedulerOptions: Sendable {
        Operators.Window(upstream: self, count: maxCount, bufferSize: bufferSize) { job in
            scheduler.startTimer(at: scheduler.now.advanced(by: duration), interval: duration, options: options, job)
        }
    }
}

extension Operators {
    /// A publisher of windows of values: of a number of them, of a time, or both. The key of a window is its number, from
    /// 0.
    public struct Window<Upstream: Publisher>: Publisher {
        public typealias Output = Group<Int, Upstream.Output, Upstream.Failure>
        public typealias Failure = Upstream.Failure

        /// The publisher of the values.
        public let upstream: Upstream

        /// The largest number of values in a window.
        public let count: Int

        /// The largest number of values that wait for their windows' subscribers.
        public let bufferSize: Int

        /// Starts the timer that ends a window; nil if only the number of values does.
        private let startTimer: (@Sendable (ScheduledJob) -> any Cancellable)?

        init(
            upstream: Upstream, count: Int, bufferSize: Int,
            startTimer: (@Sendable (ScheduledJob) -> any Cancellable)?
        ) {
            precondition(count > 0 && bufferSize > 0, "the number of values and bufferSize must be at least one")
            self.upstream = upstream
            self.count = count
            self.bufferSize = bufferSize
            self.startTimer = startTimer
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            subscribe(DemandBuffer("Window", downstream: subscriber))
        }

        /// Subscribes to the upstream. The buffer alone depends on the subscriber, and is specialised for it.
        @usableFromInline
        func subscribe(_ windows: any BufferingReceiver<Output, Failure>) {
            let link = WindowLink(count: count, bufferSize: bufferSize, startTimer: startTimer, windows: windows)
            upstream.subscribe(Inner(link: link))
        }
    }
}

extension Operators.Window: Sendable where Upstream: Sendable {}

extension Operators.Window {
    private struct Inner: Subscriber {
        let link: WindowLink<Upstream.Output, Upstream.Failure>

        var combineIdentifier: CombineIdentifier { link.combineIdentifier }

        func receive(subscription: any Subscription) {
            if link.attach(subscription) { link.start() }
        }

        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            if link.isActive { link.submit(.value(input)) }
            return .none
        }

        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            if link.complete() { link.submit(.completion(completion)) }
        }
    }
}

/// The open window of one subscription to a `window`, and its link to the upstream.
///
/// A drain makes the upstream's values and the ends of windows serial, so that no value comes after the end of its window.
/// Any thread may cancel a window or the stream of windows.
// Safe because the state belongs to the drain, or is guarded by a lock.
private final class WindowLink<Output, Failure: Error>: UpstreamLink, @unchecked Sendable {
    enum Event {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        /// The time of a window has passed.
        case timeout(generation: UInt64)
    }

    typealias Source = GroupSource<Output, Failure>

    private struct State: DrainState {
        /// The open window.
        var current: Source?
        /// The number of values in the open window.
        var valueCount = 0
        /// The number of windows so far.
        var windowCount = 0
        var requests = LinkRequests()
    }

    private struct SharedState {
        /// The open window, unless its subscriber has cancelled.
        var live: Source?
        /// Whether the subscriber of the windows has cancelled, so that no window is opened any more.
        var isClosed = false
        var timer = TimerSlot()
    }

    private let count: Int
    private let bufferSize: Int
    private let startTimer: ((ScheduledJob) -> any Cancellable)?
    private let windows: any BufferingReceiver<Operators.Group<Int, Output, Failure>, Failure>
    private let drain = StateDrain<State, Event>(State())
    private let shared = Locked(SharedState())

    init(
        count: Int, bufferSize: Int, startTimer: ((ScheduledJob) -> any Cancellable)?,
        windows: any BufferingReceiver<Operators.Group<Int, Output, Failure>, Failure>
    ) {
        self.count = count
        self.bufferSize = bufferSize
        self.startTimer = startTimer
        self.windows = windows
    }

    func start() {
        guard windows.link.attach(DividingSubscription { [self] in close() }) else { return }
        windows.start()
        request(.max(bufferSize))
    }

    func submit(_ event: Event) {
        drain.submit(event, for: self) { $0.handle($1, &$2) }
    }

    private func handle(_ event: Event, _ state: inout State) {
        switch event {
        case .value(let value): send(value, &state)
        case .timeout(let generation):
            if generation == shared.withLock({ $0.timer.generation }) { endWindow(.finished, &state) }
        case .completion(let completion):
            endWindow(completion, &state)
            windows.finish(completion)
        }
    }

    private func send(_ value: Output, _ state: inout State) {
        guard let source = state.current ?? openWindow(&state) else { return state.requests.add(.max(1), to: self) }
        source.send(value)
        state.valueCount += 1
        if state.valueCount == count { endWindow(.finished, &state) }
    }

    /// Opens a window, unless the subscriber of the windows has cancelled.
    private func openWindow(_ state: inout State) -> Source? {
        let source = Source(
            upstream: self, onCancel: { [weak self] in self?.windowWasCancelled($0) })
        let generation = shared.withLock { shared -> UInt64? in
            guard !shared.isClosed else { return nil }
            shared.live = source
            return shared.timer.generation
        }
        guard let generation else { return nil }
        state.current = source
        windows.send(Operators.Group(key: state.windowCount, source: source))
        state.windowCount += 1
        if let timer = startTimer?(ScheduledJob { [self] _ in submit(.timeout(generation: generation)) }) {
            let isStored = shared.withLock { $0.timer.store(timer, generation: generation) }
            if !isStored { timer.cancel() }
        }
        return source
    }

    /// Ends the open window, if there is one.
    private func endWindow(_ completion: Subscribers.Completion<Failure>, _ state: inout State) {
        guard let source = state.current.take() else { return }
        state.valueCount = 0
        let (timer, isUnused) = shared.withLock { shared in
            shared.live = nil
            return (shared.timer.advance(), shared.isClosed)
        }
        timer?.cancel()
        source.finish(completion)
        if isUnused { cancel() }
    }

    /// Opens no more windows, because their subscriber has cancelled.
    private func close() {
        let isUnused = shared.withLock { shared in
            shared.isClosed = true
            return shared.live == nil
        }
        if isUnused { cancel() }
    }

    private func windowWasCancelled(_ source: Source) {
        let isUnused = shared.withLock { shared in
            guard shared.live === source else { return false }
            shared.live = nil
            return shared.isClosed
        }
        if isUnused { cancel() }
    }

    override func cancel() {
        super.cancel()
        shared.withLock { $0.timer.advance() }?.cancel()
    }
}
