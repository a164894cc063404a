/// Chunks that can be led into a pipe.
protocol StreamedBody: Sendable {
    func start(into pipe: BodyPipe)
}

/// A publisher's chunks.
// Safe because the body it is in is opened once, and subscribes on the pipe's queue; that whoever makes the body may
// not use the publisher meanwhile, unless that is safe from any thread, is said where it is handed over.
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
