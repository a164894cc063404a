import StreamsHTTP
import StreamsLoopback

struct HealingFeed: Scene {
    let stage: Stage

    static let title = "A feed that breaks off and heals"
    static let setting = "The server closes the connection in the middle of the third order."
    static let code = """
        let options = FeedOptions(reconnection: .init(backoff: .init(initial: .milliseconds(200))))

        client.serverSentEvents(for: HTTPRequest(.get, "/orders"), options: options).events
            .sink(receiveCompletion: { finish($0) }) { event in
                switch event {
                case .element(let order): print("order \\(order.id): \\(order.data)")
                case .waiting(let wait):
                    print("\\(wait.error?.name ?? "the end"); resuming after \\(wait.position ?? "?")")
                default: break
                }
            }
            .store(in: &subscriptions)
        """

    func play() async throws {
        let wares = ["tea", "a lamp", "ink", "two chairs"]
        var feed = FeedScript(
            .serverSentEvents, count: wares.count, .elements(2, partial: 9, then: .close), .elements())
        feed.content = { wares[$0 - 1] }
        server.on("GET", "/orders", feed: feed)
        var subscriptions: Set<AnyCancellable> = []

        let options = FeedOptions(reconnection: .init(backoff: .init(initial: .milliseconds(200))))

        client.serverSentEvents(for: HTTPRequest(.get, "/orders"), options: options).events
            .sink(receiveCompletion: { finish($0) }) { event in
                switch event {
                case .element(let order): print("order \(order.id): \(order.data)")
                case .waiting(let wait):
                    print("\(wait.error?.name ?? "the end"); resuming after \(wait.position ?? "?")")
                default: break
                }
            }
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect(
            "order 1: tea", "order 2: a lamp", "transfer.body-ended-early; resuming after 2", "order 3: ink",
            "order 4: two chairs", "the end; resuming after 4", "finished")
    }
}
