import StreamsHTTP
import StreamsLoopback
import Testing

// The examples of the document on gateways, written with Streams.

// MARK: Simple request

struct GetPost: Endpoint {
    let id: Int
    var path: String { "/posts/\(id)" }
    var headers: HTTPHeaders { .json }

    struct Response: Decodable, Hashable, Sendable {
        let id: Int
        let userID: Int
        let title: String
        let body: String

        enum CodingKeys: String, CodingKey {
            case id, title, body
            case userID = "userId"
        }
    }
}

// MARK: Request with data and response processing

struct EchoService: HTTPService {
    var baseURL = URL(literal: "https://httpbin.org")

    func configure(_ configuration: inout HTTPClient.Configuration) { configuration.envelope = ["data"] }

    struct ErrorContent: Decodable, Sendable {
        let message: String
    }
}

struct Echo: Endpoint {
    let path = "/post"
    let method = HTTPMethod.post
    let parameters: Input

    struct Input: Encodable, Sendable {
        let value: String
    }

    struct Response: Decodable, Sendable {
        let value: String
    }
}

// MARK: Request with progress observation

struct FetchImage: Endpoint {
    let path: String

    func decode(_ response: HTTPResponse<Data>, using decoder: any DataDecoder) throws -> Image {
        try Image(png: response.body)
    }
}

/// Stands in for a platform's image: the size that the head of a PNG file declares.
struct Image: Hashable, Sendable {
    let width: Int
    let height: Int

    struct NotPNG: Error {}

    init(png data: Data) throws {
        guard data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]), data.count >= 24 else {
            throw NotPNG()
        }
        let numbers = [16, 20].map { start in
            data.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        (width, height) = (numbers[0], numbers[1])
    }
}

@Suite(.reservesDescriptors) struct GatewaysGallery {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test func aSimpleRequest() async throws {
        server.on("GET", "/posts/1", .json(#"{"id":1,"userId":7,"title":"Streams","body":"flow"}"#))
        let client = server.client()

        do {
            let post = try await client.value(for: GetPost(id: 1))
            #expect(post == GetPost.Response(id: 1, userID: 7, title: "Streams", body: "flow"))
        } catch {
            Issue.record("\(error)")
        }

        #expect(server.requests.first?.headers["Accept"] == "application/json")
    }

    @Test func nestedDataIsUnwrapped() async throws {
        server.on("POST", "/post") { request in
            .json(#"{"message":null,"data":\#(String(decoding: request.body, as: UTF8.self))}"#)
        }
        let service = ServiceClient(EchoService(baseURL: try #require(URL(string: server.url("")))))

        let output = try await service.value(for: Echo(parameters: Echo.Input(value: "test")))
        #expect(output.value == "test")
    }

    @Test func theMessageOfAnErrorIsThrown() async throws {
        server.on("POST", "/post", .json(#"{"message":"Something went wrong"}"#, status: 503))
        let service = ServiceClient(EchoService(baseURL: try #require(URL(string: server.url("")))))

        do {
            _ = try await service.value(for: Echo(parameters: Echo.Input(value: "test")))
            Issue.record("no error")
        } catch {
            switch error {
            case .remote(let response):
                #expect(response.status == 503 && response.body.message == "Something went wrong")
            case .local(let error): Issue.record("\(error)")
            }
        }
    }

    @Test(.needsHTTPBin) func theEchoOfHTTPBin() async throws {
        // It has what was sent under another key, and under "data" as a text.
        struct HTTPBinEcho: Endpoint {
            let path = "/post"
            let method = HTTPMethod.post
            let parameters: Echo.Input
            var decoder: some DataDecoder { JSONDecoder().unwrapping("json") }
            typealias Response = Echo.Response
        }
        let server = try await HTTPBin.shared.value
        let service = ServiceClient(EchoService(baseURL: try #require(URL(string: server.url("")))))
        #expect(try await service.value(for: HTTPBinEcho(parameters: Echo.Input(value: "test"))).value == "test")
    }

    @Test func progressOnTheWayToAnImage() async throws {
        let header: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 73, 72, 68, 82]
        let image = header + [0, 0, 2, 0, 0, 0, 1, 0]
        server.on("GET", "/image.png", Reply(body: Reply.Body([.bytes(image), .generated(5_000_000)])))
        let client = server.client()
        let told = Watched<[Double]>([])

        let output = try await client.value(for: FetchImage(path: "/image.png")) { progress in
            told.update { $0.append(progress.fraction ?? .nan) }
        }

        #expect((output.width, output.height) == (512, 256))
        #expect(told.value == told.value.sorted() && told.value.last == 1 && told.value.count <= 101)
    }

    @Test func whatIsNoImageIsAnError() async throws {
        server.on("GET", "/image.png", .text("<html>"))
        let client = server.client()
        let error = try await failure { () throws(HTTPError) in
            try await client.value(for: FetchImage(path: "/image.png"))
        }
        #expect(error.reason.outline == "decoding(NotPNG)")
    }
}
