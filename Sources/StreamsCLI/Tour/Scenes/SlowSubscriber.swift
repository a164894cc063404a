import Dispatch
import StreamsHTTP
import StreamsLoopback

struct SlowSubscriber: Scene {
    let stage: Stage

    static let title = "A slow subscriber holds the socket back"
    static let setting = "The server would send 4 GiB as fast as it can."
    static let code = """
        client.events(for: HTTPRequest(.get, "/archive"))
            .compactMap { event in if case .chunk(let chunk) = event { chunk.count } else { nil } }
            .flatMap(maxPublishers: .max(1)) { count in
                Just(count).delay(for: .milliseconds(200), scheduler: DispatchQueue.global())
            }
            .scan(0) { $0 + $1 }
            .prefix(4)
            .sink(receiveCompletion: { finish($0) }) { received in
                let sent = ByteCount(Int64(server.bytesWritten))
                print("the subscriber has taken \\(ByteCount(Int64(received))), the server has sent \\(sent)")
            }
            .store(in: &subscriptions)
        """

    func play() async throws {
        server.on("GET", "/archive", .generated(4 << 30))
        var subscriptions: Set<AnyCancellable> = []

        client.events(for: HTTPRequest(.get, "/archive"))
            .compactMap { event in if case .chunk(let chunk) = event { chunk.count } else { nil } }
            .flatMap(maxPublishers: .max(1)) { count in
                Just(count).delay(for: .milliseconds(200), scheduler: DispatchQueue.global())
            }
            .scan(0) { $0 + $1 }
            .prefix(4)
            .sink(receiveCompletion: { finish($0) }) { received in
                let sent = ByteCount(Int64(server.bytesWritten))
                print("the subscriber has taken \(ByteCount(Int64(received))), the server has sent \(sent)")
            }
            .store(in: &subscriptions)

        try await server.waitForBackPressure()
        await stage.finished()
        subscriptions.removeAll()
        let sent = server.bytesWritten
        try stage.expect(sent < 16 << 20, "the server was not held back: it sent \(sent) bytes")
    }
}
