import StreamsHTTP
import StreamsLoopback
import Testing

// The examples of the document on PokeNetwork, written with Streams.

// MARK: Data source

struct PokemonListDTO: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        let name: String
    }
    let results: [Item]
}

struct PokemonDataSource: DataSource {
    typealias Item = PokemonListDTO
    let client: HTTPClient
    let request = HTTPRequest(.get, "/api/v2/pokemon")
}

@Suite(.reservesDescriptors) struct PokeNetworkGallery {
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
        let request = HTTPRequest(scheme: .http, method: .get)
            .settingHost("127.0.0.1", port: server.port)
            .settingPath("/api/v2/pokemon")
            .addingQueryItem("offset", "10")
            .addingQueryItem("limit", "5")

        let response = try await HTTPClient().response(for: request.decoding(PokemonListDTO.self))

        #expect(response.status == .ok && response.body.results.map(\.name) == (0..<5).map { "\($0)" })
        #expect(server.requests.first?.target == "/api/v2/pokemon?offset=10&limit=5")
    }

    @Test func theBodyAsItCame() async throws {
        let request = HTTPRequest(.get, server.url("/api/v2/pokemon")).addingQueryItem("limit", "1")
        let response = try await HTTPClient().response(for: request)
        #expect(response.status == .ok && response.body == Data(#"{"results":[{"name":"0"}]}"#.utf8))
    }

    @Test func copiesDoNotChangeTheOriginal() {
        let plain = HTTPRequest(.put, "/").addingQueryItem("limit", "5")
        let changed = plain.settingHeader("X-A", "1").settingHeader("x-a", "2").settingBody(.text("body"))
        #expect(plain.headers.isEmpty && plain.body.length == nil)
        #expect(changed.headers.values(for: "X-A") == ["2"] && changed.body.length == 4)
        #expect(plain.replacingQueryItem("limit", with: "20").query == ["limit": "20"])
        #expect(plain.replacingQueryItem("offset", with: "1").query == ["limit": "5"])
    }

    @Test func aDataSourceShapesItsRequest() async throws {
        let dataSource = PokemonDataSource(client: server.client())

        let dto = try await dataSource.read { request in
            request
                .addingQueryItem("offset", "10")
                .addingQueryItem("limit", "20")
        }

        #expect(dto.results.map(\.name) == (0..<20).map { "\($0)" })
        #expect(try await dataSource.read().results.isEmpty)
    }
}
