import StreamsHTTP
import StreamsLoopback

struct FlakyEndpoint: Scene {
    let stage: Stage

    static let title = "A flaky endpoint, retried"
    static let setting = "The server answers 503 twice before it recovers."
    static let code = """
        let patient = RetryPolicy(maxRetries: 3, backoff: .init(initial: .milliseconds(200)))
        let request = HTTPRequest(.get, "/quote").settingOptions { $0.retry = patient }

        client.events(for: request)
            .sink(receiveCompletion: { finish($0) }) { event in
                switch event {
                case .attempt(let attempt): print("attempt \\(attempt.number)")
                case .retrying(let retry): print("the server answered \\(retry.error.status ?? 0); retrying")
                case .chunk(let chunk): print(String(decoding: chunk, as: UTF8.self))
                default: break
                }
            }
            .store(in: &subscriptions)
        """

    func play() async throws {
        server.on("GET", "/quote", .status(503), .status(503), .text("Everything flows."))
        var subscriptions: Set<AnyCancellable> = []

        let patient = RetryPolicy(maxRetries: 3, backoff: .init(initial: .milliseconds(200)))
        let request = HTTPRequest(.get, "/quote").settingOptions { $0.retry = patient }

        client.events(for: request)
            .sink(receiveCompletion: { finish($0) }) { event in
                switch event {
                case .attempt(let attempt): print("attempt \(attempt.number)")
                case .retrying(let retry): print("the server answered \(retry.error.status ?? 0); retrying")
                case .chunk(let chunk): print(String(decoding: chunk, as: UTF8.self))
                default: break
                }
            }
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect(
            "attempt 1", "the server answered 503; retrying", "attempt 2", "the server answered 503; retrying",
            "attempt 3", "Everything flows.", "finished")
    }
}
