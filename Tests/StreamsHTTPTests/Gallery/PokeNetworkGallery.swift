import StreamsHTTP
import StreamsLoopback
import Testing

// What the document on PokeNetwork shows, written with Streams.

// MARK: Data source

struct PokemonListDTO: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        let name: String
    }
    let results: [Item]
}

struct PokemonDataSource {
    let client: HTTPClient
    let baseRequest = HTTPRequest(.get, "/api/v2/pokemon")

    func readData(_ configure: (HTTPRequest) -> HTTPRequest = { $0 }) async throws(HTTPError) -> Data {
        try await client.data(for: configure(baseRequest)).body
    }
}

@Suite struct PokeNetworkGallery {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.on("GET", "/api/v2/pokemon") { request in
            let pairs = request.target.split(separator: "?").last?.split(separator: "&") ?? []
            let limit = pairs.compactMap { $0.hasPrefix("limit=") ? Int($0.dropFirst(6)) : nil }.first ?? 0
            return .json(#"{"results":[\#((0..<limit).map { #"{"name":"\#($0)"}"# }.joined(separator: ","))]}"#)
        }
    }

    @Test func aChainedRequest() async throws {
        let request = HTTPRequest(.get, "/api/v2/pokemon")
            .addingQueryItem("offset", "10")
            .addingQueryItem("limit", "5")

        let response = try await server.client().data(for: request)
        let list = try JSONDecoder().decode(PokemonListDTO.self, from: response.body)

        #expect(response.status == .ok && list.results.count == 5)
        #expect(server.requests.first?.target == "/api/v2/pokemon?offset=10&limit=5")
    }

    @Test func copiesDoNotChangeTheOriginal() {
        let plain = HTTPRequest(.put, "/")
        let changed = plain.settingHeader("X-A", "1").settingHeader("x-a", "2").settingBody(.text("body"))
        #expect(plain.headers.isEmpty && plain.body.length == nil)
        #expect(changed.headers.values(for: "X-A") == ["2"] && changed.body.length == 4)
    }

    @Test func aDataSourceShapesItsRequest() async throws {
        let dataSource = PokemonDataSource(client: server.client())

        let data = try await dataSource.readData {
            $0.addingQueryItem("offset", "10").addingQueryItem("limit", "20")
        }

        #expect(try JSONDecoder().decode(PokemonListDTO.self, from: data).results.count == 20)
        #expect(try await !dataSource.readData().isEmpty)
    }
}
