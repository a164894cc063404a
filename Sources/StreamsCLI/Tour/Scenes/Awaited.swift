import StreamsHTTP
import StreamsLoopback

struct Awaited: Scene {
    let stage: Stage

    static let title = "The same by async"
    static let setting = "One of every kind: a user, a refusal, and a clock."
    static let code = """
        struct User: Decodable { let name: String }
        struct Problem: Decodable { let title: String }
        struct GetUser: Endpoint {
            let id: Int
            var path: String { "/users/\\(id)" }
            typealias Response = User
        }

        let user = try await client.value(for: GetUser(id: 7), onProgress: { print("\\($0.transfer.completed) bytes") })
        print("hello, \\(user.name)")

        do {
            _ = try await client.value(for: GetUser(id: 8))
        } catch {
            print("\\(error.status ?? 0): \\(error.content(as: Problem.self)?.title ?? "?")")
        }

        for try await event in client.events(for: HTTPRequest(.get, "/clock")).values {
            guard case .chunk(let chunk) = event else { continue }
            print(String(decoding: chunk, as: UTF8.self))
            break  // which ends the exchange
        }
        """

    func play() async throws {
        server.on("GET", "/users/7", .json(#"{"name":"Ada"}"#))
        server.on("GET", "/users/8", .json(#"{"title":"there is no such user"}"#, status: 404))
        server.on("GET", "/clock", Reply(body: .chunked("tick", .pause(.seconds(60)), "tock")))

        struct User: Decodable { let name: String }
        struct Problem: Decodable { let title: String }
        struct GetUser: Endpoint {
            let id: Int
            var path: String { "/users/\(id)" }
            typealias Response = User
        }

        let user = try await client.value(for: GetUser(id: 7), onProgress: { print("\($0.transfer.completed) bytes") })
        print("hello, \(user.name)")

        do {
            _ = try await client.value(for: GetUser(id: 8))
        } catch {
            print("\(error.status ?? 0): \(error.content(as: Problem.self)?.title ?? "?")")
        }

        for try await event in client.events(for: HTTPRequest(.get, "/clock")).values {
            guard case .chunk(let chunk) = event else { continue }
            print(String(decoding: chunk, as: UTF8.self))
            break  // which ends the exchange
        }

        try await server.waitForDisconnection(of: 3)
        try stage.expect("14 bytes", "hello, Ada", "404: there is no such user", "tick")
    }
}
