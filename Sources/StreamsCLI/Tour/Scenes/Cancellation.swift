import StreamsHTTP
import StreamsLoopback

struct Cancellation: Scene {
    let stage: Stage

    static let title = "Cancellation reaches the server"
    static let setting = "The server says tick, and would say more if it were waited for."
    static let code = """
        let subscription = client.events(for: HTTPRequest(.get, "/clock"))
            .compactMap { event in if case .chunk(let chunk) = event { chunk } else { nil } }
            .sink(receiveCompletion: { finish($0) }, receiveValue: { print(String(decoding: $0, as: UTF8.self)) })

        await printed("tick")
        subscription.cancel()
        try await server.waitForDisconnection()
        print("the server has seen the client leave")
        """

    func play() async throws {
        server.on("GET", "/clock", Reply(body: .chunked("tick", .pause(.seconds(60)), "tock")))

        let subscription = client.events(for: HTTPRequest(.get, "/clock"))
            .compactMap { event in if case .chunk(let chunk) = event { chunk } else { nil } }
            .sink(receiveCompletion: { finish($0) }, receiveValue: { print(String(decoding: $0, as: UTF8.self)) })

        await printed("tick")
        subscription.cancel()
        try await server.waitForDisconnection()
        print("the server has seen the client leave")

        try stage.expect("tick", "the server has seen the client leave")
    }
}
