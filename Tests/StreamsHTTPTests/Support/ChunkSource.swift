import StreamsHTTP

/// Chunks for a body, with a note of how they were asked for.
///
/// `Publishers.Sequence` would do for sending; this one also shows demand and cancellation.
struct ChunkSource: Publisher, Sendable {
    typealias Output = Data
    typealias Failure = any Error

    /// The numbers of chunks that were requested and sent, and whether the source was cancelled.
    struct Journal: Sendable {
        var requested = 0
        var sent = 0
        var isCancelled = false
    }

    /// The end of a source.
    enum End: Sendable {
        case finished
        case failed(any Error)
        /// It does not.
        case open
    }

    let journal = Watched(Journal())
    private let count: Int
    private let make: @Sendable (Int) -> Data
    private let end: End

    init(_ chunks: [Data], end: End = .finished) {
        self.init(count: chunks.count, end: end) { chunks[$0] }
    }

    init(count: Int, end: End = .finished, make: @escaping @Sendable (Int) -> Data) {
        self.count = count
        self.end = end
        self.make = make
    }

    func receive<Downstream: Subscriber>(
        subscriber: Downstream
    ) where Downstream.Input == Data, Downstream.Failure == any Error {
        subscriber.receive(
            subscription: Run(journal: journal, count: count, end: end, make: make, downstream: subscriber))
    }

    /// One subscription. It is asked from the body's queue alone, so the chunks leave in order.
    private final class Run<Downstream: Subscriber>: Subscription
    where Downstream.Input == Data, Downstream.Failure == any Error {
        private let journal: Watched<Journal>
        private let count: Int
        private let end: End
        private let make: @Sendable (Int) -> Data
        private var downstream: Downstream?
        private var position = 0

        init(
            journal: Watched<Journal>, count: Int, end: End, make: @escaping @Sendable (Int) -> Data,
            downstream: Downstream
        ) {
            self.journal = journal
            self.count = count
            self.end = end
            self.make = make
            self.downstream = downstream
        }

        func request(_ demand: Subscribers.Demand) {
            journal.update { $0.requested += demand.max ?? count }
            var left = demand
            while left > .none, position < count, let downstream, !journal.value.isCancelled {
                left -= 1
                let chunk = make(position)
                position += 1
                journal.update { $0.sent += 1 }
                left += downstream.receive(chunk)
            }
            if position == count { complete() }
        }

        private func complete() {
            guard let downstream, !journal.value.isCancelled else { return }
            switch end {
            case .open: return
            case .finished: downstream.receive(completion: .finished)
            case .failed(let error): downstream.receive(completion: .failure(error))
            }
            self.downstream = nil
        }

        func cancel() {
            journal.update { $0.isCancelled = true }
        }
    }
}
