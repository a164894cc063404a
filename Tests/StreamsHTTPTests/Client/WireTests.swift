import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Requests and responses on the wire, without failures.
@Suite(.serialized, .reservesDescriptors) struct WireTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client()
        server.otherwise { .text($0.target) }
    }

    @Test(arguments: [HTTPMethod.get, .post, .put, .patch, .delete, .options, "REPORT"])
    func methodsAreSentAsTheyAre(method: HTTPMethod) async throws {
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(method, "/m")))
        #expect(recording.response?.status == .ok)
        #expect(server.requests.map(\.method) == [method.rawValue])
        #expect(String(decoding: recording.body, as: UTF8.self) == "/m")
    }

    @Test func aHeadOfAResponseHasNoBody() async throws {
        server.on("GET", "/h", .generated(5000))
        let recording = try await EventRecorder.record(client.events(for: Call<Data>(.head, "/h")))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.head?.headers["Content-Length"] == "5000")
        #expect(recording.response?.body.isEmpty == true)
        #expect(server.requests.first?.method == "HEAD")
    }

    @Test(arguments: [204, 304])
    func statusesWithoutContent(status: Int) async throws {
        server.on("GET", "/s", Reply(status, headers: ["ETag": "x"], body: .empty))
        let options = RequestOptions.with { $0.validation = .acceptAll }
        let request = HTTPRequest(.get, "/s", options: options)
        let recording = try await EventRecorder.record(client.events(for: request))
        #expect(recording.response?.status == HTTPStatus(status))
        #expect(recording.downloads.isEmpty)
        // The connection is good for another request.
        _ = try await client.response(for: HTTPRequest(.get, "/other"))
        #expect(server.acceptedConnections == 1)
    }

    @Test func informationalHeadsAreSkipped() async throws {
        server.on("GET", "/i", Reply.text("well").preceded(by: 103, headers: ["Link": "</a>"]).preceded(by: 102))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/i")))
        #expect(recording.outline == ["attempt 1", "head 200", "response 200"])
        #expect(recording.head?.headers["Link"] == nil)
    }

    @Test func trailersAreNotPartOfTheHead() async throws {
        server.on("GET", "/t", Reply(body: .chunked("a", "b")).with(trailers: ["X-Sum": "1"]))
        let recording = try await EventRecorder.record(client.events(for: HTTPRequest(.get, "/t")))
        #expect(recording.body == Data("ab".utf8))
        #expect(recording.response?.headers["X-Sum"] == nil)
        #expect(recording.response?.trailers == ["X-Sum": "1"] && recording.head?.trailers == [:])
    }

    @Test func fieldsKeepTheirOrderAndTheirDuplicates() async throws {
        server.on("GET", "/f", Reply(headers: ["X-B": "1", "X-A": "2", "X-B": "3", "x-b": "4"], body: .empty))
        let headers: HTTPHeaders = ["X-Two": "a", "X-One": "b", "X-Two": "c", "X-Empty": ""]
        let response = try await client.response(for: HTTPRequest(.get, "/f", headers: headers))
        let request = try #require(server.requests.first)
        let sent = request.headers.filter { $0.name.hasPrefix("X-") }
        #expect(sent.map(\.name) == ["X-Two", "X-One", "X-Two", "X-Empty"])
        #expect(sent.map(\.value) == ["a", "b", "c", ""])
        let received = response.headers.filter { $0.name.lowercased().hasPrefix("x-") }
        #expect(received.map(\.name) == ["X-B", "X-A", "X-B", "x-b"])
        #expect(response.headers.values(for: "X-B") == ["1", "3", "4"])
    }

    @Test(arguments: [" ", "\t", " \t "])
    func sendsBlankValues(_ value: String) async throws {
        _ = try await client.response(for: HTTPRequest(.get, "/", headers: ["X-Blank": value, "Accept": value]))
        let request = try #require(server.requests.first)
        #expect(request.headers["X-Blank"] == "")
        #expect(request.headers.values(of: "Accept") == [""])
    }

    @Test func pathsAndQueriesArriveAsTheyWereMeant() async throws {
        let base = try #require(URL(string: server.url("/v1/")))
        let client = HTTPClient(baseURL: base)
        var call = Call<String>(.get, "/a%20b/c")
        call.query = [HTTPQuery.Item("q", "x&y=z ü"), HTTPQuery.Item("flag", nil), HTTPQuery.Item("q", "")]
        let target = "/v1/a%20b/c?q=x%26y%3Dz%20%C3%BC&flag&q="
        #expect(try await client.value(for: call) == target)
        #expect(server.requests.first?.target == target)
        #expect(try await client.value(for: Call<String>(.get, server.url("/absolute"))) == "/absolute")
    }

    @Test func aRequestSaysWhoItIsFrom() async throws {
        _ = try await client.response(for: HTTPRequest(.get, "/"))
        let own: HTTPHeaders = ["User-Agent": "mine", "Accept": "text/html"]
        _ = try await client.response(for: HTTPRequest(.get, "/", headers: own))
        #expect(server.requests.map { $0.headers["User-Agent"] } == [HTTPClient.userAgent, "mine"])
        #expect(server.requests.map { $0.headers["Accept"] } == ["*/*", "text/html"])
        #expect(server.requests.allSatisfy { $0.headers.values(of: "Accept").count == 1 })
    }

    @Test func defaultFieldsGiveWayToARequests() async throws {
        let client = server.client(headers: ["X-Team": "default", "X-Kind": "default"])
        _ = try await client.response(for: HTTPRequest(.get, "/", headers: ["x-team": "own"]))
        let request = try #require(server.requests.first)
        #expect(request.headers.values(of: "X-Team") == ["own"])
        #expect(request.headers["X-Kind"] == "default")
    }

    @Test func userInformationBecomesAuthorization() async throws {
        let url = server.url("/").replacing("//", with: "//us%40er:pa%3Ass@")
        _ = try await client.response(for: HTTPRequest(.get, url))
        let request = try #require(server.requests.first)
        #expect(request.headers["Authorization"] == "Basic \(Data("us@er:pa:ss".utf8).base64EncodedString())")
        #expect(request.headers["Host"] == "127.0.0.1:\(server.port)")
    }

    @Test func jsonGoesBothWays() async throws {
        server.on("POST", "/json") { .json($0.text) }
        var call = Call<Greeting>(.post, "/json")
        call.body = .json(Greeting(text: "ümlaut"))
        #expect(try await client.value(for: call).text == "ümlaut")
        #expect(server.requests.first?.headers["Content-Type"] == "application/json")
    }

    @Test func aUnixSocketIsAnAddressToo() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s-\(UUID().uuidString.prefix(8))").path
        let local = try LoopbackServer(on: .unixSocket(path: path))
        local.on("GET", "/u", .text("local"))
        let options = RequestOptions.with { $0.connection.unixSocketPath = path }
        let response = try await client.response(for: HTTPRequest(.get, local.url("/u"), options: options))
        #expect(String(decoding: response.body, as: UTF8.self) == "local")
    }

    /// RFC 6874, section 3: a zone is of the host itself.
    @Test(arguments: ["[fe80::1%25lo]", "[fe80::1%lo]"])
    func aZoneIsNotSent(host: String) async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "s-\(UUID().uuidString.prefix(8))").path
        let local = try LoopbackServer(on: .unixSocket(path: path))
        local.on("GET", "/u", .text("local"))
        let options = RequestOptions.with { $0.connection.unixSocketPath = path }
        let response = try await client.response(for: HTTPRequest(.get, "http://\(host):81/u", options: options))
        #expect(response.url.absoluteString == "http://[fe80::1%25lo]:81/u")
        #expect(local.requests.first?.headers["Host"] == "[fe80::1]:81")
    }

    @Test func oneConnectionServesRequestsInTurn() async throws {
        for _ in 1...20 { _ = try await client.response(for: HTTPRequest(.get, "/")) }
        #expect(server.requests.count == 20)
        #expect(server.acceptedConnections == 1)
    }

    @Test func connectionsPerHostAreLimited() async throws {
        let configuration = CurlTransport.Configuration(maxConnectionsPerHost: 2)
        let client = server.client(transport: CurlTransport(configuration: configuration))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let response = try await client.response(for: HTTPRequest(.get, "/\(number)"))
                    #expect(String(decoding: response.body, as: UTF8.self) == "/\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(server.acceptedConnections <= 2)
    }
}
