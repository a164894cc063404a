import Dispatch

/// The timers of a clock in real time, which share one timer of the system: it is set for the earliest of them.
///
/// Most timers are those of timeouts and hedges, and are cancelled. To create and cancel a timer of the system for each
/// would take a third of the time of a request, without the network. So a cancelled timer does not move the system's
/// one, which at most fires for nothing, and then is set for the earliest timer.
final class TimerQueue: Sendable {
    private struct State {
        var timers = Heap<QueuedTimer>()
        /// The timer of the system; created with the first timer, because few clocks of a process have one.
        var source: (any DispatchSourceTimer)?
        /// The time for which the timer of the system is set; `nil` if it is not set.
        var wake: DispatchTime?
    }

    private let queue: DispatchQueue
    private let state = Locked(State())

    /// - Parameter queue: The queue on which the actions run.
    init(_ queue: DispatchQueue) {
        self.queue = queue
    }

    deinit {
        state.withLock { $0.source }?.cancel()
    }

    /// Runs an action once, after a delay, unless the result is cancelled before. Releases the action after that.
    func schedule(
        after delay: DispatchTimeInterval, _ action: @escaping @Sendable () -> Void
    ) -> any Cancellable & Sendable {
        let timer = QueuedTimer(due: .now() + delay, queue: self, action)
        state.withLock { state in
            state.timers.insert(timer)
            setSource(&state)
        }
        return timer
    }

    fileprivate func remove(_ timer: QueuedTimer) {
        // Released outside of the lock: it may hold the last reference to a subscriber.
        let action = state.withLock { state in
            state.timers.remove(timer)
            return timer.action.take()
        }
        withExtendedLifetime(action) {}
    }

    /// Sets the timer of the system, unless it fires early enough. Under the lock, so that the last setting is the
    /// earliest; Dispatch does not call back.
    private func setSource(_ state: inout State) {
        guard let due = state.timers.first?.due, state.wake.map({ due < $0 }) ?? true else { return }
        state.wake = due
        if let source = state.source { return source.schedule(deadline: due) }
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler { [weak self] in self?.fire() }
        source.schedule(deadline: due)
        source.activate()
        state.source = source
    }

    private func fire() {
        let now = DispatchTime.now()
        let actions = state.withLock { state in
            var actions: [@Sendable () -> Void] = []
            while let first = state.timers.first, first.due <= now {
                state.timers.remove(first)
                if let action = first.action.take() { actions.append(action) }
            }
            state.wake = nil
            setSource(&state)
            return actions
        }
        // An action may call subscribers, which may block: neither other actions nor the next time wait for that.
        for action in actions { queue.async(execute: action) }
    }
}

/// A timer in a queue.
// Safe because the lock of the queue guards the mutable state.
private final class QueuedTimer: HeapMember, Cancellable, @unchecked Sendable {
    let due: DispatchTime
    /// The action, until the timer has fired or been cancelled.
    var action: (@Sendable () -> Void)?
    var place = -1
    private let queue: TimerQueue

    init(due: DispatchTime, queue: TimerQueue, _ action: @escaping @Sendable () -> Void) {
        self.due = due
        self.queue = queue
        self.action = action
    }

    func precedes(_ other: QueuedTimer) -> Bool { due < other.due }

    func cancel() {
        queue.remove(self)
    }
}
