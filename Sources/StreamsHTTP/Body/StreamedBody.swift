/// A source of chunks that a pipe can subscribe to.
protocol StreamedBody: Sendable {
    func start(into pipe: BodyPipe)
}

/// The chunks of a publisher that is subscribed to once.
// Safe because the body is opened once, and subscribes on the pipe's queue. The documentation of `HTTPBody.stream` forbids
// other uses of the publisher meanwhile, unless it may be used from any thread.
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

/// The chunks of a publisher that is created each time the body is sent.
struct DeferredBody<Chunks: Publisher>: StreamedBody
where Chunks.Output == Data, Chunks.Failure == any Error {
    let makeChunks: @Sendable () -> Chunks

    func start(into pipe: BodyPipe) {
        makeChunks().subscribe(pipe)
    }
}
