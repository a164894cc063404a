import Dispatch
import StreamsHTTP
import StreamsLoopback

struct DecodedRequest: Scene {
    let stage: Stage

    static let title = "A decoded request"
    static let setting = "The server knows one user."
    static let code = """
        struct User: Decodable { let name: String, born: Int }
        struct GetUser: Endpoint { let path = "/users/7" }

        client.publisher(for: GetUser())
            .retry(2)
            .decode(type: User.self, decoder: JSONDecoder())
            .map { "\\($0.name), born \\($0.born)" }
            .receive(on: DispatchQueue.main)
            .sink(receiveCompletion: { finish($0) }, receiveValue: { print($0) })
            .store(in: &subscriptions)
        """

    func play() async throws {
        server.on("GET", "/users/7", .json(#"{"name":"Ada Lovelace","born":1815}"#))
        var subscriptions: Set<AnyCancellable> = []

        struct User: Decodable { let name: String, born: Int }
        struct GetUser: Endpoint { let path = "/users/7" }

        client.publisher(for: GetUser())
            .retry(2)
            .decode(type: User.self, decoder: JSONDecoder())
            .map { "\($0.name), born \($0.born)" }
            .receive(on: DispatchQueue.main)
            .sink(receiveCompletion: { finish($0) }, receiveValue: { print($0) })
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect("Ada Lovelace, born 1815", "finished")
    }
}
