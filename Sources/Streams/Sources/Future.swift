/// A publisher of one result that comes later: it is computed once, and kept for all who subscribe before and after.
///
/// The work starts when the future is made, not when somebody subscribes. Wrap it in ``Deferred`` to start it on
/// subscription.
public final class Future<Output, Failure: Error>: Publisher {
    /// Delivers the result. Only the first call counts; it may come from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    @usableFromInline let resolution = FutureResolution<Output, Failure>()

    /// - Parameter attemptToFulfill: Called at once, with the promise to keep.
    @preconcurrency
    @inlinable
    public init(_ attemptToFulfill: @escaping @Sendable (@escaping Promise) -> Void) {
        attemptToFulfill { [resolution] in resolution.resolve($0) }
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let known = resolution.known
        let subscription = FutureSubscription(downstream: subscriber, future: self, isSettled: known != nil)
        subscriber.receive(subscription: subscription)
        // Only now, so that a promise kept on another thread does not deliver while the subscription is being received.
        if let known { subscription.resolve(known) } else { resolution.attach(subscription) }
    }
}

// Safe because all state is in the resolution, which is behind a lock.
extension Future: @unchecked Sendable where Output: Sendable {}

extension Future where Failure == Never {
    /// The result, awaited. Cancelling the task does not end the waiting, since nothing can be thrown.
    public var value: Output {
        get async {
            let awaited = AwaitedResult<Output, Never>()
            let subscription = sink { awaited.settle(.success($0)) }
            defer { subscription.cancel() }
            switch await awaited.result {
            case .success(let value): return value
            }
        }
    }
}

extension Future {
    /// The result, awaited.
    ///
    /// - Throws: The failure, or `CancellationError` as soon as the task is cancelled; the future itself goes on.
    public var value: Output {
        get async throws {
            let awaited = AwaitedResult<Output, any Error>()
            let subscription = sink(
                receiveCompletion: { if case .failure(let error) = $0 { awaited.settle(.failure(error)) } },
                receiveValue: { awaited.settle(.success($0)) })
            defer { subscription.cancel() }
            return try await withTaskCancellationHandler {
                await awaited.result
            } onCancel: {
                awaited.settle(.failure(CancellationError()))
            }.get()
        }
    }
}

/// A result that one task waits for. The first one settled counts.
private final class AwaitedResult<Output, Failure: Error>: Sendable {
    // Safe because a result is only handed from the one who settles to the one who waits.
    struct Settled: @unchecked Sendable {
        let result: Result<Output, Failure>
    }

    enum State {
        case open
        case waiting(UnsafeContinuation<Settled, Never>)
        case settled(Settled)
    }

    private let state = Locked(State.open)

    func settle(_ result: Result<Output, Failure>) {
        let settled = Settled(result: result)
        let waiting = state.withLock { state in
            switch state {
            case .open:
                state = .settled(settled)
                return UnsafeContinuation<Settled, Never>?.none
            case .waiting(let continuation):
                state = .settled(settled)
                return continuation
            case .settled:
                return nil
            }
        }
        waiting?.resume(returning: settled)
    }

    var result: Result<Output, Failure> {
        get async {
            await withUnsafeContinuation { continuation in
                let settled = state.withLock { state in
                    if case .settled(let settled) = state { return Settled?.some(settled) }
                    state = .waiting(continuation)
                    return nil
                }
                if let settled { continuation.resume(returning: settled) }
            }.result
        }
    }
}

/// The result of a future, or those who wait for it.
///
/// The future and its promise hold it, subscriptions do not.
@usableFromInline
// Safe because the state is behind the lock, and a subscription delivers serially wherever it is resolved.
final class FutureResolution<Output, Failure: Error>: @unchecked Sendable {
    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline var result: Result<Output, Failure>?
        @usableFromInline var waiting = SlotList<AnyFutureSubscription<Output, Failure>>()

        @inlinable
        init() {}
    }

    /// See ``ErasedStorage``: a future is released as often as it is made.
    @usableFromInline let storage: ErasedStorage

    @inlinable var state: UnsafeMutablePointer<Locked<State>> { storage.contents(as: Locked<State>.self) }

    @inlinable
    init() {
        storage = ErasedStorage(Locked(State()))
    }

    /// The result, once there is one: it does not change any more.
    @inlinable var known: Result<Output, Failure>? { state.pointee.withLock { $0.result } }

    /// Sets the result and delivers it. Later calls do nothing.
    @inlinable
    func resolve(_ result: Result<Output, Failure>) {
        let waiting = state.pointee.withLock { state -> [AnyFutureSubscription<Output, Failure>] in
            guard state.result == nil else { return [] }
            state.result = result
            return state.waiting.removeAll()
        }
        for subscription in waiting { subscription.resolve(result) }
    }

    /// Delivers the result to a subscription, as soon as there is one.
    @inlinable
    func attach(_ subscription: AnyFutureSubscription<Output, Failure>) {
        let known = state.pointee.withLock { state in
            if state.result == nil { state.waiting.append(subscription) }
            return state.result
        }
        if let known {
            subscription.resolve(known)
        } else if subscription.isCancelled {
            // Cancelled from inside `receive(subscription:)`, or at this very moment.
            detach(subscription)
        }
    }

    /// Forgets a subscription that was cancelled.
    @inlinable
    func detach(_ subscription: AnyFutureSubscription<Output, Failure>) {
        let forgotten = state.pointee.withLock { $0.waiting.remove(at: subscription.place) }
        withExtendedLifetime(forgotten) {}
    }
}

/// A subscription to a future, whoever the subscriber is.
///
/// What it does is handed over as a closure, which is specialised where the subscription is made, as a method called
/// dynamically would not be.
@usableFromInline
class AnyFutureSubscription<Output, Failure: Error>: SlotListMember {
    /// Behind the lock of the resolution.
    @exclusivity(unchecked) @usableFromInline final var place = -1

    @usableFromInline final let delivery: OneShotControl
    @usableFromInline final let deliver: (AnyFutureSubscription, Result<Output, Failure>) -> Void

    @inlinable
    init(
        _ delivery: OneShotControl, _ deliver: @escaping (AnyFutureSubscription, Result<Output, Failure>) -> Void
    ) {
        self.delivery = delivery
        self.deliver = deliver
    }

    @inlinable final var isCancelled: Bool { delivery.isCancelled }

    @inlinable
    final func resolve(_ result: Result<Output, Failure>) {
        deliver(self, result)
    }
}

@usableFromInline
final class FutureSubscription<Downstream: Subscriber>: AnyFutureSubscription<Downstream.Input, Downstream.Failure>,
    NamedSubscription
{
    /// What is shown until the result has been delivered. The future is also shown afterwards where it was the request
    /// that came last, as by Combine.
    @usableFromInline
    struct Ends {
        /// The future, if it has its result, and so does not know of the subscription.
        @usableFromInline var settled: Future<Downstream.Input, Downstream.Failure>?
        @usableFromInline var isFutureShown = true
        @usableFromInline var downstream: Downstream?

        @inlinable
        init(settled: Future<Downstream.Input, Downstream.Failure>?, downstream: Downstream) {
            self.settled = settled
            self.downstream = downstream
        }
    }

    /// Where it waits for the result, if it has to. Neither changes, apart from going.
    @usableFromInline weak var future: Future<Downstream.Input, Downstream.Failure>?
    @usableFromInline weak var resolution: FutureResolution<Downstream.Input, Downstream.Failure>?
    @usableFromInline let storage: ErasedStorage

    @inlinable var ends: UnsafeMutablePointer<Locked<Ends>> { storage.contents(as: Locked<Ends>.self) }

    /// - Parameter isSettled: Whether it is known already what is delivered.
    @inlinable
    init(downstream: Downstream, future: Future<Downstream.Input, Downstream.Failure>, isSettled: Bool) {
        // Weak references cost more than all the rest.
        if !isSettled {
            self.future = future
            resolution = future.resolution
        }
        storage = ErasedStorage(Locked(Ends(settled: isSettled ? future : nil, downstream: downstream)))
        super.init(OneShotSubscription("Future", downstream: downstream)) { subscription, result in
            unsafeDowncast(subscription, to: FutureSubscription<Downstream>.self).conclude(result)
        }
    }

    @inlinable
    func conclude(_ result: Result<Downstream.Input, Downstream.Failure>) {
        let delivery = unsafeDowncast(delivery, to: OneShotSubscription<Downstream>.self)
        switch result {
        case .success(let value): delivery.resolve(.value(value))
        case .failure(let error): delivery.resolve(.end(.failure(error)))
        }
        if delivery.isOver { hideEnds() }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        delivery.request(demand)
        if delivery.isOver { hideDownstream() }
    }

    @usableFromInline
    func cancel() {
        delivery.cancel()
        hideEnds()
        resolution?.detach(self)
    }

    @inlinable
    func hideEnds() {
        hideDownstream()
        let hidden = ends.pointee.withLock { ends in
            ends.isFutureShown = false
            return ends.settled.take()
        }
        withExtendedLifetime(hidden) {}
    }

    @inlinable
    func hideDownstream() {
        let hidden = ends.pointee.withLock { $0.downstream.take() }
        withExtendedLifetime(hidden) {}
    }

    @usableFromInline var description: String { delivery.description }
}
