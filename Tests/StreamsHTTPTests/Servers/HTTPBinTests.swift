import Foundation
import StreamsHTTP
import Testing

/// Requests and what a server of somebody else's makes of them.
@Suite(.needsHTTPBin, .serialized, .reservesDescriptors) struct HTTPBinTests {
    private let client = HTTPClient.alone

    /// The description of a request in a response of httpbin.
    private struct Echo: Decodable {
        let args: [String: String]
        let headers: [String: String]
        let data: String?
        let form: [String: String]?
        let files: [String: String]?
        let json: Item?
        let method: String?
    }

    private struct Item: Codable, Equatable {
        let name: String
        let count: Int
    }

    private struct Call: Endpoint {
        typealias Response = Echo
        var method: HTTPMethod = .get
        let path: String
        var query: HTTPQuery = []
        var headers: HTTPHeaders = [:]
        var content: HTTPBody = .empty
        var body: HTTPBody { content }
    }

    private struct Page: Endpoint {
        typealias Response = String
        let path: String
    }

    /// The bytes that httpbin makes from a seed.
    private func randomBytes(_ count: Int, seed: Int) throws -> Data {
        let bytes = "bytes(random.randint(0, 255) for _ in range(\(count)))"
        let program = "import random, sys; random.seed(\(seed)); sys.stdout.buffer.write(\(bytes))"
        return try Program.env.output(of: [try #require(HTTPBin.python), "-c", program], input: Data())
    }

    private func url(_ path: String, host: String = "127.0.0.1") async throws -> String {
        try await HTTPBin.shared.value.url(path, host: host)
    }

    @Test func aDocumentIsDecoded() async throws {
        struct Document: Decodable {
            struct Slideshow: Decodable { let title: String }
            let slideshow: Slideshow
        }
        struct GetDocument: Endpoint {
            typealias Response = Document
            let path: String
        }
        let document = try await client.value(for: GetDocument(path: try await url("/json")))
        #expect(document.slideshow.title == "Sample Slide Show")
    }

    @Test func headersAndQueryArriveAsTheyWereMeant() async throws {
        let call = Call(
            path: try await url("/anything"), query: [HTTPQuery.Item("q", "a b&c=d/ü"), HTTPQuery.Item("empty", "")],
            headers: ["X-Custom": "value", "X-Empty": ""])
        let echo = try await client.value(for: call)
        #expect(echo.method == "GET")
        #expect(echo.args == ["q": "a b&c=d/ü", "empty": ""])
        #expect(echo.headers["X-Custom"] == "value")
        #expect(echo.headers["X-Empty"] == "")
        #expect(echo.headers["User-Agent"] == HTTPClient.userAgent)
        #expect(echo.headers["Host"]?.hasPrefix("127.0.0.1:") == true)
    }

    @Test(arguments: [HTTPMethod.post, .put, .patch, .delete])
    func valuesAreSentAsJSON(method: HTTPMethod) async throws {
        let item = Item(name: "größer", count: 7)
        let call = Call(
            method: method, path: try await url("/\(method.rawValue.lowercased())"), content: .json(item))
        let echo = try await client.value(for: call)
        #expect(echo.json == item)
        #expect(echo.headers["Content-Type"] == "application/json")
    }

    @Test func formsArePosted() async throws {
        let body = HTTPBody.text("name=a+b&city=K%C3%B6ln", contentType: "application/x-www-form-urlencoded")
        let echo = try await client.value(for: Call(method: .post, path: try await url("/post"), content: body))
        #expect(echo.form == ["name": "a b", "city": "Köln"])
    }

    @Test func formsAndQueriesArriveAsTheyWereMeant() async throws {
        var call = Call(method: .post, path: try await url("/anything"))
        call.query = HTTPQuery(nastyTexts.map { ("q\($0)", "\($0)v") })
        call.content = .form(HTTPQuery(nastyTexts.map { ("n\($0)", "\($0)v") }))
        let echo = try await client.value(for: call)
        #expect(echo.args == Dictionary(uniqueKeysWithValues: nastyTexts.map { ("q\($0)", "\($0)v") }))
        #expect(echo.form == Dictionary(uniqueKeysWithValues: nastyTexts.map { ("n\($0)", "\($0)v") }))
    }

    @Test func formsInPartsArriveAsTheyWereMeant() async throws {
        let folder = try ServerFolder("parts")
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        try folder.write("from a file\r\n", to: "a")
        var form = MultipartForm(nastyTexts.enumerated().map { .text("n\($0.offset)", $0.element) })
        form.append(.text("ü \"🎈\"", "quoted"))
        form.append(.file("file", path: folder.path("a"), filename: "ü\".txt", contentType: "text/plain"))
        let call = Call(method: .post, path: try await url("/anything"), content: try .multipart(form))
        let echo = try await client.value(for: call)
        var expected = Dictionary(uniqueKeysWithValues: nastyTexts.enumerated().map { ("n\($0.offset)", $0.element) })
        expected["ü \"🎈\""] = "quoted"
        #expect(echo.form == expected)
        #expect(echo.files == ["file": "from a file\r\n"])
    }

    @Test func aStreamOfUnknownLengthIsPostedInChunks() async throws {
        let pieces: [Data] = (0..<50).map { Data("piece \($0);".utf8) }
        let publisher = Publishers.Sequence<[Data], any Error>(sequence: pieces)
        let call = Call(
            method: .post, path: try await url("/post"), content: .stream(contentType: "text/plain", publisher))
        let echo = try await client.value(for: call)
        #expect(echo.data.map { Data($0.utf8) } == Data(pieces.joined()))
        #expect(echo.headers["Transfer-Encoding"] == "chunked")
        #expect(echo.headers["Content-Length"] == nil)
    }

    @Test(arguments: ["/redirect/5", "/relative-redirect/5", "/absolute-redirect/5"])
    func redirectsAreFollowedAndListed(path: String) async throws {
        let response = try await client.response(for: Call(path: try await url(path)))
        #expect(response.status == .ok)
        #expect(response.redirects.count == 5)
        #expect(response.redirects.first?.path == path)
        #expect(response.url.path == "/get")
    }

    @Test func moreRedirectsThanAllowedFail() async throws {
        let path = try await url("/redirect/6")
        let request = HTTPRequest(.get, path).settingOptions { $0.redirects = .follow(max: 5) }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        guard case .redirect(.tooMany(limit: 5)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(error.redirects.count == 5)
    }

    @Test(arguments: [("127.0.0.1", true), ("localhost", false)])
    func credentialsStayWithinTheOrigin(host: String, areKept: Bool) async throws {
        let call = Call(
            path: try await url("/redirect-to"), query: [HTTPQuery.Item("url", try await url("/get", host: host))],
            headers: ["Authorization": "Bearer secret", "X-Public": "yes"])
        let response = try await client.response(for: call)
        #expect(response.url.host == host)
        #expect(response.body.headers["X-Public"] == "yes")
        #expect((response.body.headers["Authorization"] != nil) == areKept)
    }

    @Test(arguments: [(307, "POST", "kept"), (303, "GET", "")])
    func aRedirectedPostIsRepeatedOrBecomesAGet(status: Int, method: String, data: String) async throws {
        let call = Call(
            method: .post, path: try await url("/redirect-to"),
            query: ["url": "/anything", "status_code": "\(status)"], content: .text("kept"))
        let echo = try await client.value(for: call)
        #expect(echo.method == method)
        #expect(echo.data == data)
    }

    @Test(arguments: ["gzip", "deflate", "brotli"])
    func encodedBodiesAreDecoded(encoding: String) async throws {
        struct Flags: Decodable {
            var gzipped: Bool?
            var deflated: Bool?
            var brotli: Bool?
        }
        let response = try await client.response(for: HTTPRequest(.get, try await url("/\(encoding)")))
        let flags = try JSONDecoder().decode(Flags.self, from: response.body)
        #expect(flags.gzipped ?? flags.deflated ?? flags.brotli == true)
    }

    @Test func encodedBodiesCanBeHadAsTheyAre() async throws {
        let request = HTTPRequest(.get, try await url("/gzip"))
            .settingOptions { $0.connection.decodesContent = false }
        let response = try await client.response(for: request)
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(response.body.starts(with: [0x1F, 0x8B]))
    }

    @Test(arguments: [400, 404, 418, 429, 500, 503])
    func anErrorStatusFailsWithTheResponse(status: Int) async throws {
        let request = HTTPRequest(.get, try await url("/status/\(status)"))
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        #expect(error.status == HTTPStatus(status))
        if status == 418 {
            #expect(error.response.map { String(decoding: $0.body, as: UTF8.self) }?.contains("teapot") == true)
        }
    }

    @Test(arguments: [204, 304])
    func aStatusWithoutABodyHasNone(status: Int) async throws {
        let request = HTTPRequest(.get, try await url("/status/\(status)"))
            .settingOptions { $0.validation = .acceptAll }
        let response = try await client.response(for: request)
        #expect(response.status == HTTPStatus(status))
        #expect(response.body.isEmpty)
    }

    @Test func credentialsInTheURLAreSentAsAuthorization() async throws {
        let path = "/basic-auth/user%40home/p%3Ass"
        let good = try await url(path, host: "user%40home:p%3Ass@127.0.0.1")
        #expect(try await client.response(for: HTTPRequest(.get, good)).status == .ok)
        let wrong = HTTPRequest(.get, try await url(path, host: "user%40home:wrong@127.0.0.1"))
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: wrong) }
        #expect(error.status == .unauthorized)
        #expect(!"\(error)".contains("wrong"))
    }

    @Test func aServerThatThinksForTooLongIsGivenUp() async throws {
        let request = HTTPRequest(.get, try await url("/delay/10"))
            .settingOptions { $0.timeouts.idle = .milliseconds(200) }
        let error = try await failure { () async throws(HTTPError) in try await client.response(for: request) }
        guard case .timeout(.idle) = error.reason else {
            Issue.record("\(error)")
            return
        }
    }

    @Test func whatDripsInIsDeliveredWhole() async throws {
        let request = HTTPRequest(.get, try await url("/drip?numbytes=10&duration=1&delay=0"))
        var received = Data()
        for try await event in client.events(for: request).values {
            if case .chunk(let data) = event { received.append(data) }
        }
        #expect(received == Data(repeating: UInt8(ascii: "*"), count: 10))
    }

    @Test func aBodyOfKnownLengthComesWhole() async throws {
        let response = try await client.response(for: HTTPRequest(.get, try await url("/range/50000?chunk_size=999")))
        #expect(response.headers["Content-Length"] == "50000")
        let isWhole = response.body == Data((0..<50_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
        #expect(isWhole)
    }

    @Test func aChunkedBodyComesWhole() async throws {
        let request = HTTPRequest(.get, try await url("/stream-bytes/50000?chunk_size=999&seed=1"))
        let response = try await client.response(for: request)
        #expect(response.headers["Transfer-Encoding"] == "chunked")
        #expect(response.headers["Content-Length"] == nil)
        let isWhole = try response.body == randomBytes(50_000, seed: 1)
        #expect(isWhole)
    }

    @Test func textIsUTF8() async throws {
        let page = try await client.value(for: Page(path: try await url("/encoding/utf8")))
        #expect(page.contains("∮ E⋅da = Q"))
    }

    @Test func whatIsNoTextIsADecodingError() async throws {
        let page = Page(path: try await url("/bytes/100?seed=1"))
        let error = try await failure { () async throws(HTTPError) in try await client.value(for: page) }
        guard case .decoding(let cause, let response) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect("\(cause)".contains("the body is not utf-8"))
        #expect(try response.body == randomBytes(100, seed: 1))
    }
}
