import StreamsHTTP
import StreamsLoopback

struct UploadWithProgress: Scene {
    let stage: Stage

    static let title = "An upload with progress"
    static let setting = "The server takes in 16 MiB a second."
    static let code = """
        let film = Data(GeneratedBytes.bytes(0..<16 << 20))

        client.events(for: HTTPRequest(.put, "/film", body: .data(film)))
            .compactMap { event in if case .uploadProgress(let progress) = event { progress } else { nil } }
            .sink(receiveCompletion: { finish($0) }, receiveValue: { bar.update($0) })
            .store(in: &subscriptions)
        """

    func play() async throws {
        server.on("PUT", "/film", intake: .paced(bytes: 512 << 10, every: .milliseconds(31)), .status(201))
        var subscriptions: Set<AnyCancellable> = []
        bar.begin("upload")

        let film = Data(GeneratedBytes.bytes(0..<16 << 20))

        client.events(for: HTTPRequest(.put, "/film", body: .data(film)))
            .compactMap { event in if case .uploadProgress(let progress) = event { progress } else { nil } }
            .sink(receiveCompletion: { finish($0) }, receiveValue: { bar.update($0) })
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect("finished")
        try stage.expectWholeTransfer()
        let received = server.requests.first?.bodyCount
        try stage.expect(received == film.count, "the server received \(received ?? 0) bytes")
        // The server keeps the beginning.
        let isExact = server.requests.first.map { !$0.body.isEmpty && film.starts(with: $0.body) } ?? false
        try stage.expect(isExact, "the server received other bytes")
    }
}
