/// A publisher that delivers one value or failure, which is computed once and kept for all subscribers.
///
/// The work starts when the future is created, not on subscription. Wrap a future in ``Deferred`` to start the work on
/// subscription. A value waits for demand; a failure does not.
public final class Future<Output, Failure: Error>: Publisher {
    /// A closure that delivers the result. Only the first call counts. It may be called from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    @usableFromInline
    struct State: ~Copyable {
        @usableFromInline var result: Result<Output, Failure>?
        @usableFromInline var waiting = SlotList<FutureSubscription<Output, Failure>>()

        @inlinable
        init() {}
    }

    /// Releasing a future is faster with storage of a known layout, see ``ErasedStorage``.
    @usableFromInline let storage: ErasedStorage

    @inlinable var state: UnsafeMutablePointer<Locked<State>> { storage.contents(as: Locked<State>.self) }

    /// Creates a future and starts its work.
    ///
    /// - Parameter attemptToFulfill: A closure that is called at once with the promise.
    @preconcurrency
    @inlinable
    public init(_ attemptToFulfill: @escaping @Sendable (@escaping Promise) -> Void) {
        storage = ErasedStorage(Locked(State()))
        // Safe because the lock guards all state.
        nonisolated(unsafe) let future = self
        attemptToFulfill { future.resolve($0) }
    }

    @inlinable
    @inline(__always)
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let scalar = ScalarSubscription("Future", downstream: subscriber)
        // The result follows the subscription in any case, also if another thread keeps the promise meanwhile.
        if let result = state.pointee.withLock({ $0.result }) {
            subscriber.receive(subscription: scalar)
            scalar.resolve(result)
        } else {
            let subscription = FutureSubscription(scalar, to: self) { scalar.resolve($0) }
            subscriber.receive(subscription: subscription)
            add(subscription)
        }
    }

    /// Sets the result and delivers it to the waiting subscriptions. Later calls do nothing.
    @inlinable
    func resolve(_ result: Result<Output, Failure>) {
        let waiting = state.pointee.withLock { state -> [FutureSubscription<Output, Failure>] in
            guard state.result == nil else { return [] }
            state.result = result
            return state.waiting.removeAll()
        }
        for subscription in waiting { subscription.resolve(result) }
    }

    /// Delivers the result to a subscription, now or later.
    @inlinable
    func add(_ subscription: FutureSubscription<Output, Failure>) {
        let result = state.pointee.withLock { state in
            if state.result == nil { state.waiting.append(subscription) }
            return state.result
        }
        if let result {
            subscription.resolve(result)
        } else if subscription.isCancelled {
            // Cancelled before it was in the list.
            remove(subscription)
        }
    }

    /// Removes a subscription that was cancelled.
    @inlinable
    func remove(_ subscription: FutureSubscription<Output, Failure>) {
        let removed = state.pointee.withLock { $0.waiting.remove(at: subscription.place) }
        withExtendedLifetime(removed) {}
    }
}

// Safe because the lock guards all state.
extension Future: @unchecked Sendable where Output: Sendable {}

extension ScalarSubscription {
    @inlinable
    func resolve(_ result: Result<Downstream.Input, Downstream.Failure>) {
        switch result {
        case .success(let value): resolve(.value(value))
        case .failure(let error): resolve(.completion(.failure(error)))
        }
    }
}

/// The subscription of a subscriber that waits for the result of a future. Cancelling it removes it from the future.
@usableFromInline
final class FutureSubscription<Output, Failure: Error>: NamedSubscription, SlotListMember {
    /// Guarded by the future's lock.
    @exclusivity(unchecked) @usableFromInline var place = -1

    @usableFromInline let scalar: PullSubscription
    @usableFromInline let resolve: (Result<Output, Failure>) -> Void
    @usableFromInline weak let future: Future<Output, Failure>?

    /// - Parameters:
    ///   - scalar: The subscription that delivers the result.
    ///   - future: The future, which holds this subscription until there is a result.
    ///   - resolve: A closure that resolves the scalar subscription.
    @inlinable
    init(
        _ scalar: PullSubscription, to future: Future<Output, Failure>,
        resolve: @escaping (Result<Output, Failure>) -> Void
    ) {
        self.scalar = scalar
        self.future = future
        self.resolve = resolve
    }

    @inlinable var isCancelled: Bool { scalar.demand.reading.isCancelled }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        scalar.request(demand)
    }

    @usableFromInline
    func cancel() {
        scalar.cancel()
        future?.remove(self)
    }

    @usableFromInline var description: String { scalar.description }
}

extension Future where Failure == Never {
    /// The result, awaited. Cancelling the task does not end the wait, since no error can be thrown.
    public var value: Output {
        get async {
            let awaited = AwaitedResult<Output, Never>()
            let subscription = sink { awaited.resolve(.success($0)) }
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
    /// - Throws: The failure, or `CancellationError` when the task is cancelled. The future itself goes on.
    public var value: Output {
        get async throws {
            let awaited = AwaitedResult<Output, any Error>()
            let subscription = sink(
                receiveCompletion: { if case .failure(let error) = $0 { awaited.resolve(.failure(error)) } },
                receiveValue: { awaited.resolve(.success($0)) })
            defer { subscription.cancel() }
            return try await withCancellationHandler {
                await awaited.result
            } onCancel: {
                awaited.resolve(.failure(CancellationError()))
            }.get()
        }
    }
}

/// A result that one task awaits. Only the first call of `resolve` counts.
private final class AwaitedResult<Output, Failure: Error>: Sendable {
    // Safe because a result is handed from the thread that resolves to the task that awaits, once.
    private struct Resolution: @unchecked Sendable {
        let result: Result<Output, Failure>
    }

    private enum State {
        case pending
        case awaited(UnsafeContinuation<Resolution, Never>)
        case resolved(Resolution)
    }

    private let state = Locked(State.pending)

    func resolve(_ result: Result<Output, Failure>) {
        let resolution = Resolution(result: result)
        let continuation = state.withLock { state -> UnsafeContinuation<Resolution, Never>? in
            if case .resolved = state { return nil }
            if case .awaited(let continuation) = exchange(&state, with: .resolved(resolution)) { return continuation }
            return nil
        }
        continuation?.resume(returning: resolution)
    }

    var result: Result<Output, Failure> {
        get async {
            await withUnsafeContinuation { continuation in
                let resolution = state.withLock { state -> Resolution? in
                    if case .resolved(let resolution) = state { return resolution }
                    state = .awaited(continuation)
                    return nil
                }
                if let resolution { continuation.resume(returning: resolution) }
            }.result
        }
    }
}
