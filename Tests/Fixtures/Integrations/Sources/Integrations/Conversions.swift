import Adapters
import HTTPTypes
import StreamsHTTP
import StreamsLoopback

func checkConversions() async throws {
    let server = try LoopbackServer()
    server.on("PUT", "/path", Reply(201, headers: ["ETag": "\"1\""], body: .text("made")))
    let secret = HTTPField.Name("X-Pin").map { HTTPField(name: $0, value: "4711") }

    var fields: HTTPFields = [.contentType: "text/plain"]
    if var secret {
        secret.indexingStrategy = .disallow
        fields.append(secret)
    }
    let request = HTTPTypes.HTTPRequest(
        method: .put, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/path?q=1", headerFields: fields)
    let converted = StreamsHTTP.HTTPRequest(request, body: .data(Data("body".utf8), contentType: nil))
    guard let converted else { throw Unexpected(description: "the request was not converted") }
    try expect(converted.headers.map(\.isSensitive), [false, true])
    try expect(HTTPTypes.HTTPRequest(converted), request)
    try expect(HTTPTypes.HTTPRequest(StreamsHTTP.HTTPRequest(.get, "/relative")), nil)
    try expect(HTTPTypes.HTTPRequest(converted.addingQueryItem("a", "b c"))?.path, "/path?q=1&a=b%20c")

    let response = try await HTTPClient().response(for: converted)
    try expect(server.requests.map(\.target), ["/path?q=1"])
    try expect(server.requests.map(\.text), ["body"])
    let head = HTTPTypes.HTTPResponse(response)
    try expect(head?.status.code, 201)
    try expect(head?.headerFields[.eTag], "\"1\"")
    let back = head.map { StreamsHTTP.HTTPResponse($0, body: response.body, url: response.url) }
    try expect(back?.headers == response.headers && back?.status == response.status, true)
    try expect(HTTPTypes.HTTPResponse(StreamsHTTP.HTTPResponse(status: 1000, body: (), url: response.url)), nil)
}
