#if !canImport(Darwin)
import Dispatch
import Foundation
import Streams

/// An operation that becomes ready at a time or on its cancellation, and runs its action at most once.
final class DelayedOperation: Operation, Cancellable, @unchecked Sendable {
    // Safe because this lock guards all mutable state.
    private let state: Locked<State>
    private let date: Date

    private struct State {
        var isDue = false
        var action: (@Sendable () -> Void)?
    }

    init(date: Date, _ action: @escaping @Sendable () -> Void) {
        self.date = date
        state = Locked(State(action: action))
        super.init()
    }

    override var isReady: Bool { super.isReady && state.withLock { $0.isDue } }

    override func main() {
        let action = state.withLock { $0.action.take() }
        if !isCancelled { action?() }
    }

    override func cancel() {
        super.cancel()
        let released = state.withLock { $0.action.take() }
        becomeReady()
        withExtendedLifetime(released) {}
    }

    /// Starts the delay. Call it after the operation was added to its queue, which keeps the operation alive.
    func startDelay() {
        let deadline = DispatchWallTime.now() + Swift.max(0, date.timeIntervalSinceNow)
        DispatchQueue.global().asyncAfter(wallDeadline: deadline) { [weak self] in self?.becomeReady() }
    }

    private func becomeReady() {
        willChangeValue(for: \.isReady)
        state.withLock { $0.isDue = true }
        didChangeValue(for: \.isReady)
    }
}

/// A repeated action of an operation queue.
final class OperationRepetition: Cancellable, @unchecked Sendable {
    // Safe because this lock guards all mutable state.
    private let state: Locked<State>
    private let interval: TimeInterval

    private struct State {
        var queue: OperationQueue?
        var action: (@Sendable () -> Void)?
        var operation: DelayedOperation?
    }

    init(queue: OperationQueue, interval: TimeInterval, _ action: @escaping @Sendable () -> Void) {
        state = Locked(State(queue: queue, action: action))
        self.interval = interval
    }

    func add(at date: Date) {
        let operation = DelayedOperation(date: date) { [self] in run(at: date) }
        let (queue, previous) = state.withLock { state in
            let previous = state.operation
            if state.queue != nil { state.operation = operation }
            return (state.queue, previous)
        }
        queue?.add(operation)
        withExtendedLifetime(previous) {}
    }

    private func run(at date: Date) {
        guard let action = state.withLock({ $0.action }) else { return }
        action()
        // Skips the times that have passed if the action takes longer than the interval.
        add(at: Swift.max(date + interval, Date()))
    }

    func cancel() {
        let ended = state.withLock { state in
            let ended = state
            state = State()
            return ended
        }
        ended.operation?.cancel()
    }
}
#endif
