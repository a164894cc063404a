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
