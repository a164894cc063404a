import Synchronization

/// Chunks that can be led into a pipe.
protocol StreamedBody: Sendable {
    func start(into pipe: BodyPipe)
}

/// A publisher's chunks.
// Safe because the pipe alone uses the publisher, once, on its own queue.
struct PublishedBody<Chunks: Publisher>: StreamedBody, @unchecked Sendable
where Chunks.Output == Data, Chunks.Failure == any Error {
    private let chunks: Chunks

    init(_ chunks: Chunks) {
        self.chunks = chunks
    }

    func start(into pipe: BodyPipe) {
        chunks.subscribe(pipe)
    }
}

/// The chunks of a publisher that is made anew for every sending.
struct DeferredBody<Chunks: Publisher>: StreamedBody
where Chunks.Output == Data, Chunks.Failure == any Error {
    let makeChunks: @Sendable () -> Chunks

    func start(into pipe: BodyPipe) {
        makeChunks().subscribe(pipe)
    }
}

/// Something that can be taken once.
// Safe because the one who takes it off the mark is the only one to use it.
final class OneShot<Value>: @unchecked Sendable {
    private let value: Value
    private let isTaken = Atomic<Bool>(false)

    init(_ value: Value) {
        self.value = value
    }

    func take() throws(BodyAlreadySent) -> Value {
        guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { throw BodyAlreadySent() }
        return value
    }
}
