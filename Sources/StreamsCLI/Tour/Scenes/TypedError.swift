import StreamsHTTP
import StreamsLoopback

struct TypedError: Scene {
    let stage: Stage

    static let title = "An error with its typed content"
    static let setting = "The server refuses with 422, and says why in JSON."
    static let code = """
        struct Problem: Decodable { let title: String }
        struct AddUser: Endpoint {
            let path = "/users"
            let method = HTTPMethod.post
            var body: HTTPBody { .json(["name": "Ada"]) }
            typealias Response = String
        }

        client.publisher(for: AddUser())
            .catch { error in Just("\\(error.status ?? 0): \\(error.content(as: Problem.self)?.title ?? "?")") }
            .sink(receiveCompletion: { finish($0) }, receiveValue: { print($0) })
            .store(in: &subscriptions)
        """

    func play() async throws {
        server.on("POST", "/users", .json(#"{"title":"the name is taken"}"#, status: 422))
        var subscriptions: Set<AnyCancellable> = []

        struct Problem: Decodable { let title: String }
        struct AddUser: Endpoint {
            let path = "/users"
            let method = HTTPMethod.post
            var body: HTTPBody { .json(["name": "Ada"]) }
            typealias Response = String
        }

        client.publisher(for: AddUser())
            .catch { error in Just("\(error.status ?? 0): \(error.content(as: Problem.self)?.title ?? "?")") }
            .sink(receiveCompletion: { finish($0) }, receiveValue: { print($0) })
            .store(in: &subscriptions)

        await stage.finished()
        subscriptions.removeAll()
        try stage.expect("422: the name is taken", "finished")
    }
}
