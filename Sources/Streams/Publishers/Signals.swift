import Dispatch

extension Operators {
    /// A publisher of the signals that the process receives from the operating system, by their numbers.
    ///
    /// ```swift
    /// let stopping = Operators.Signals(SIGTERM, SIGINT).first().sink { _ in server.stop() }
    ///
    /// for await _ in Operators.Signals(SIGHUP).values { await configuration.reload() }
    /// ```
    ///
    /// ```
    ///   Operators.Signals(SIGHUP, SIGTERM)
    /// ──────SIGHUP───────────SIGTERM──
    /// ```
    ///
    /// While a signal has a subscriber, its earlier disposition does not apply: `SIGTERM` does not end the process. All
    /// subscribers of a signal receive it. When the last of them cancels, the earlier disposition is restored before
    /// `cancel()` returns. So a second Ctrl-C ends a program that has taken the first with `first()`.
    ///
    /// A signal sent right after the subscription is received. Signals of the same kind that arrive at once may be
    /// merged into one, by the operating system too. Signals that faults of the program raise, such as `SIGSEGV`, cannot be handled in
    /// this way, and `SIGKILL` and `SIGSTOP` not at all.
    ///
    /// **Demand.** A signal that was not requested waits for a request; further ones of the same kind are conflated with
    /// it.
    ///
    /// **Completion.** Never completes.
    ///
    /// **Cancellation.** Drops the signals that wait.
    ///
    /// **Threads.** Signals are delivered on a serial queue, those that have waited on the thread that requests them.
    public struct Signals: Publisher, Hashable, Sendable {
        public typealias Output = Int32
        public typealias Failure = Never

        /// The numbers of the signals, such as `SIGTERM`.
        public let numbers: [Int32]

        /// Creates a publisher of signals.
        ///
        /// - Parameter numbers: The numbers of the signals, such as `SIGTERM`. A number that is no signal is ignored.
        public init(_ numbers: Int32...) {
            self.init(numbers)
        }

        /// Creates a publisher of signals.
        ///
        /// - Parameter numbers: The numbers of the signals, such as `SIGTERM`. A number that is no signal is ignored.
        public init(_ numbers: [Int32]) {
            self.numbers = numbers
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let subscription = SignalsSubscription(to: Set(numbers), downstream: subscriber)
            // Before the subscriber has it, so that no signal is missed.
            SignalRegistry.shared.add(subscription)
            subscriber.receive(subscription: subscription)
            subscription.start()
        }
    }
}

/// A subscriber of signals, as the registry sees it.
private protocol SignalReceiver: AnyObject {
    var numbers: Set<Int32> { get }

    /// Delivers a signal, or keeps it until it is requested.
    func receive(_ number: Int32)
}

/// The subscribers of all signals, and the dispositions to restore after them.
// Safe because the lock guards the state, and receivers may be called from any thread.
private final class SignalRegistry: @unchecked Sendable {
    private struct State {
        /// The end of the pipe that wakes the source, which is created for the first subscriber and kept.
        var source: (any DispatchSourceRead)?
        var receivers: [any SignalReceiver] = []
        var dispositions: [Int32: ProcessSignals.Disposition] = [:]
    }

    static let shared = SignalRegistry()

    private let state = Locked(State())

    func add(_ receiver: some SignalReceiver) {
        state.withLock { state in
            state.receivers.append(receiver)
            if state.source == nil { state.source = makeSource() }
            // Without a source, the earlier dispositions stay.
            guard state.source != nil else { return }
            for number in receiver.numbers where state.dispositions[number] == nil {
                state.dispositions[number] = ProcessSignals.observe(number)
            }
        }
    }

    func remove(_ receiver: some SignalReceiver) {
        // The registry may hold the last reference to the subscriber. It is released outside the lock.
        let removed = state.withLock { state -> (any SignalReceiver)? in
            guard let index = state.receivers.firstIndex(where: { $0 === receiver }) else { return nil }
            let removed = state.receivers.remove(at: index)
            for number in removed.numbers where !state.receivers.contains(where: { $0.numbers.contains(number) }) {
                if let disposition = state.dispositions.removeValue(forKey: number) {
                    ProcessSignals.restore(disposition, of: number)
                }
            }
            return removed
        }
        withExtendedLifetime(removed) {}
    }

    private func makeSource() -> (any DispatchSourceRead)? {
        guard let descriptor = ProcessSignals.openPipe() else { return nil }
        let queue = DispatchQueue(label: "streams.signals")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [self] in deliver(ProcessSignals.take(from: descriptor)) }
        source.activate()
        return source
    }

    private func deliver(_ numbers: [Int32]) {
        for number in numbers {
            let receivers = state.withLock { $0.receivers }
            for receiver in receivers where receiver.numbers.contains(number) { receiver.receive(number) }
        }
    }
}

/// The subscription of one subscriber. Any thread delivers, one at a time.
private final class SignalsSubscription<Downstream: Subscriber>: SignalReceiver, NamedSubscription
where Downstream.Input == Int32, Downstream.Failure == Never {
    private struct State {
        /// The subscriber, until it cancels.
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        /// The signals that have not been requested, each of them once, in the order in which they arrived.
        var pending: [Int32] = []
        /// Whether a thread delivers signals, or the subscriber is still receiving the subscription.
        var isBusy = true

        /// Takes the next signal, or ends the delivery if there is none or none is requested.
        mutating func takeNext() -> (Downstream, Int32)? {
            guard let downstream, demand > .none, !pending.isEmpty else {
                isBusy = false
                return nil
            }
            isBusy = true
            demand -= 1
            return (downstream, pending.removeFirst())
        }
    }

    let numbers: Set<Int32>
    private let state: Locked<State>

    init(to numbers: Set<Int32>, downstream: Downstream) {
        self.numbers = numbers
        state = Locked(State(downstream: downstream))
    }

    var description: String { "Signals" }

    /// Delivers what has arrived while the subscriber received this subscription.
    func start() {
        deliver(after: .none)
    }

    func receive(_ number: Int32) {
        let isIdle = state.withLock { state in
            if state.downstream != nil, !state.pending.contains(number) { state.pending.append(number) }
            return !state.isBusy
        }
        if isIdle { deliverIfIdle() }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        state.withLock { $0.demand += demand }
        deliverIfIdle()
    }

    func cancel() {
        let downstream = state.withLock { state in
            state.pending = []
            return state.downstream.take()
        }
        SignalRegistry.shared.remove(self)
        withExtendedLifetime(downstream) {}
    }

    private func deliverIfIdle() {
        guard let (downstream, number) = state.withLock({ $0.isBusy ? nil : $0.takeNext() }) else { return }
        deliver(after: downstream.receive(number))
    }

    /// Delivers the signals that are requested, after a delivery.
    private func deliver(after additional: Subscribers.Demand) {
        var additional = additional
        while true {
            let next = state.withLock { state in
                state.demand += additional
                return state.takeNext()
            }
            guard let (downstream, number) = next else { return }
            additional = downstream.receive(number)
        }
    }
}
