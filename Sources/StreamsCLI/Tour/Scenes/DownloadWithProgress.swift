import StreamsHTTP
import StreamsLoopback

struct DownloadWithProgress: Scene {
    let stage: Stage

    static let title = "A download with progress"
    static let setting = "The server sends 6 MiB, and takes a second for it."
    static let code = """
        client.events(for: HTTPRequest(.get, "/film"))
            .sink(receiveCompletion: { finish($0) }) { event in
                if case .downloadProgress(let progress) = event { bar.update(progress) }
            }
            .store(in: &subscriptions)
        """

    func play() async throws {
        let pieces = Array(repeating: [Reply.Body.Piece.generated(128 << 10), .pause(.milliseconds(20))], count: 48)
        server.on("GET", "/film", Reply(body: Reply.Body(pieces.flatMap(\.self))))
        var subscriptions: Set<AnyCancellable> = []
        bar.begin("download")

        client.events(for: HTTPRequest(.get, "/film"))
            .sink(receiveCompletion: { finish($0) }) { event in
                if case .downloadProgress(let progress) = event { bar.update(progress) }
            }
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect("finished")
        try stage.expectWholeTransfer()
    }
}
