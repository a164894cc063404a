import Dispatch

/// A publisher's chunks as a body: holds at most two of them and asks for the next when one has been read.
///
/// The publisher is driven on a queue of the pipe's own, so that its work never runs on the transport's thread.
// Safe because all that changes is behind the mutex.
final class BodyPipe: BodySource, Subscriber, @unchecked Sendable {

    private static let prefetch = 2

    let length: Int64?
    private let onReadable: @Sendable () -> Void
    private let state = Locked(BodyPipeState())
    private let queue = DispatchQueue(label: "streams.body")

    init(_ body: any StreamedBody, length: Int64?, onReadable: @escaping @Sendable () -> Void) {
        self.length = length
        self.onReadable = onReadable
        queue.async { body.start(into: self) }
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
        // With the subscription go the publisher's objects, which have no more to do.
        let (isAwaited, subscription) = state.withLock { $0.complete(completion) }
        withExtendedLifetime(subscription) {}
        if isAwaited { onReadable() }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        // With a chunk goes what its memory belongs to, which may be the user's.
        let (result, spent) = state.withLock { $0.read(into: buffer, declared: length) }
        if spent != nil { requestOne() }
        return result
    }

    func cancel() {
        // What is cancelled may be the user's, and what is dropped too: neither happens under the lock.
        let (subscription, _) = state.withLock { $0.cancel() }
        subscription?.cancel()
    }

    private func requestOne() {
        queue.async { [self] in state.withLock { $0.subscription }?.request(.max(1)) }
    }
}

/// What a pipe holds.
private struct BodyPipeState {
    private(set) var subscription: (any Subscription)?
    private var chunks: [Data] = []
    private var position = 0
    private var sent: Int64 = 0
    private var received: Int64 = 0
    private var completion: Subscribers.Completion<any Error>?
    private var isWaiting = false
    private var isCancelled = false

    /// - Returns: Whether the subscription is wanted.
    mutating func attach(_ subscription: any Subscription) -> Bool {
        guard !isCancelled, completion == nil, self.subscription == nil else { return false }
        self.subscription = subscription
        return true
    }

    /// - Returns: Whether somebody waits for it.
    mutating func append(_ chunk: Data) -> Bool {
        guard !isCancelled, completion == nil else { return false }
        chunks.append(chunk)
        received += Int64(chunk.count)
        return takeWaiting()
    }

    /// Takes in the first completion.
    ///
    /// - Returns: Whether somebody waits for it, and what is needed no more.
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

    /// Copies what is there.
    ///
    /// - Returns: The outcome, and a chunk that has been read to its end.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer, declared: Int64?) -> (BodyRead, Data?) {
        if let declared, received > declared {
            return (.failed(BodyLengthMismatch(declared: declared, actual: received)), nil)
        }
        guard let chunk = chunks.first else { return (readEnd(), nil) }
        let start = chunk.startIndex + position
        var available = chunk.endIndex - start
        if let declared, sent + Int64(available) == declared {
            // The transport reads no further than the declared length, so the last byte waits for the source's word
            // that it was the last: what is too long or fails at its end must not arrive as a whole.
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

    private mutating func readEnd() -> BodyRead {
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
