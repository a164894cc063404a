import StreamsHTTP
import StreamsLoopback

struct PollForChanges: Scene {
    let stage: Stage

    static let title = "A poll that sees only changes"
    static let setting = "The server counts its stock, and answers 304 if the client knows the count."
    static let code = """
        struct Stock: Decodable { let count: Int }
        let stock = HTTPRequest(.get, "/stock").decoding(Stock.self)

        client.changes(for: stock, every: .milliseconds(100))
            .prefix(3)
            .sink(receiveCompletion: { finish($0) }) { stock in
                print("\\(stock.count) in stock, by request \\(server.requests.count)")
            }
            .store(in: &subscriptions)
        """

    func play() async throws {
        let counts = [7, 7, 7, 5, 5, 4]
        server.on("GET", "/stock") { request in
            let count = counts[min(request.turn, counts.count) - 1]
            let tag = "\"\(count)\""
            if request.headers["If-None-Match"] == tag { return .status(304) }
            return Reply(headers: ["ETag": tag], body: .text("{\"count\":\(count)}"))
        }
        var subscriptions: Set<AnyCancellable> = []

        struct Stock: Decodable { let count: Int }
        let stock = HTTPRequest(.get, "/stock").decoding(Stock.self)

        client.changes(for: stock, every: .milliseconds(100))
            .prefix(3)
            .sink(receiveCompletion: { finish($0) }) { stock in
                print("\(stock.count) in stock, by request \(server.requests.count)")
            }
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect(
            "7 in stock, by request 1", "5 in stock, by request 4", "4 in stock, by request 6", "finished")
        let unchanged = server.requests.count { $0.headers["If-None-Match"] == "\"7\"" }
        try stage.expect(unchanged == 3, "\(unchanged) requests named the first count")
    }
}
