import Dispatch

/// A body source that subscribes to a publisher of chunks. It buffers at most two chunks, and requests another when one
/// has been read.
///
/// It subscribes and requests on its own queue, so that the publisher's work never runs on the transport's thread.
// Safe because a mutex guards all mutable state.
final class BodyPipe: HTTPBody.Source, Subscriber, @unchecked Sendable {

    /// The number of chunks that are requested ahead.
    static let prefetch = 2

    let length: Int64?
    private let onReadable: @Sendable () -> Void
    private let state = Locked(BodyPipeState())
    private let queue: DispatchQueue

    /// Creates a pipe.
    ///
    /// - Parameters:
    ///   - length: The total length in bytes, if known.
    ///   - onReadable: Called when the source has bytes again.
    ///   - queue: The serial queue on which the pipe subscribes and requests.
    ///   - start: Subscribes the pipe to the publisher. Called on the pipe's queue.
    init(
        length: Int64?, onReadable: @escaping @Sendable () -> Void,
        queue: DispatchQueue = DispatchQueue(label: "streams.body"), start: @escaping @Sendable (BodyPipe) -> Void
    ) {
        self.length = length
        self.onReadable = onReadable
        self.queue = queue
        queue.async { start(self) }
    }

    func receive(subscription: any Subscription) {
        let isWanted = state.withLock { $0.attach(subscription) }
        guard isWanted else { return subscription.cancel() }
        subscription.request(.max(Self.prefetch))
    }

    func receive(_ chunk: Data) -> Subscribers.Demand {
        guard !chunk.isEmpty else { return .max(1) }
        if state.withLock({ $0.append(chunk) }) { onReadable() }
        return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        // Released outside the lock, together with the publisher's objects.
        let (isAwaited, subscription) = state.withLock { $0.complete(completion) }
        withExtendedLifetime(subscription) {}
        if isAwaited { onReadable() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> HTTPBody.ReadResult {
        // The chunk is released outside the lock: the owner of its memory may be user code.
        let (result, spent) = state.withLock { $0.read(into: buffer, declared: length) }
        if spent != nil { requestOne() }
        return result
    }

    func cancel() {
        // Cancelled and released outside the lock: both may run user code.
        let (subscription, _) = state.withLock { $0.cancel() }
        subscription?.cancel()
    }

    private func requestOne() {
        queue.async { [self] in state.withLock { $0.subscription }?.request(.max(1)) }
    }
}

/// The state of a pipe.
private struct BodyPipeState {
    private(set) var subscription: (any Subscription)?
    private var chunks: [Data] = []
    private var position = 0
    private var sent: Int64 = 0
    private var received: Int64 = 0
    private var completion: Subscribers.Completion<any Error>?
    private var isWaiting = false
    private var isCancelled = false

    /// Stores the subscription, if it is needed.
    ///
    /// - Returns: Whether it is needed. If not, the caller cancels it.
    mutating func attach(_ subscription: any Subscription) -> Bool {
        guard !isCancelled, completion == nil, self.subscription == nil else { return false }
        self.subscription = subscription
        return true
    }

    /// Appends a chunk.
    ///
    /// - Returns: Whether the transport is waiting for bytes.
    mutating func append(_ chunk: Data) -> Bool {
        guard !isCancelled, completion == nil else { return false }
        chunks.append(chunk)
        received += Int64(chunk.count)
        return takeWaiting()
    }

    /// Stores the first completion and ignores later ones.
    ///
    /// - Returns: Whether the transport is waiting for bytes, and the subscription to release.
    mutating func complete(_ completion: Subscribers.Completion<any Error>) -> (Bool, (any Subscription)?) {
        guard !isCancelled, self.completion == nil else { return (false, nil) }
        self.completion = completion
        defer { subscription = nil }
        return (takeWaiting(), subscription)
    }

    mutating func cancel() -> ((any Subscription)?, [Data]) {
        isCancelled = true
        defer {
            subscription = nil
            chunks = []
        }
        return (subscription, chunks)
    }

    /// Copies bytes from the buffered chunks.
    ///
    /// - Returns: The result, and the chunk if it has been read to its end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer, declared: Int64?) -> (HTTPBody.ReadResult, Data?) {
        if let declared, received > declared {
            return (.failed(HTTPBody.Failure.lengthMismatch(declared: declared, actual: received)), nil)
        }
        guard let chunk = chunks.first else { return (readEnd(), nil) }
        let start = chunk.startIndex + position
        var available = chunk.endIndex - start
        if let declared, sent + Int64(available) == declared {
            // The transport stops reading at the declared length. The last byte is held back until the publisher
            // completes, so that a body that is too long or fails at its end is never sent completely.
            switch completion {
            case .finished: break
            case .failure(let error): return (.failed(error), nil)
            case nil: available -= 1
            }
            if available == 0 { return (readEnd(), nil) }
        }
        let count = min(buffer.count, available)
        chunk.copyBytes(to: buffer, from: start..<start + count)
        position += count
        sent += Int64(count)
        guard position == chunk.count else { return (.bytes(count), nil) }
        position = 0
        return (.bytes(count), chunks.removeFirst())
    }

    private mutating func readEnd() -> HTTPBody.ReadResult {
        switch completion {
        case .finished: return .end
        case .failure(let error): return .failed(error)
        case nil:
            isWaiting = true
            return .waiting
        }
    }

    private mutating func takeWaiting() -> Bool {
        defer { isWaiting = false }
        return isWaiting
    }
}
