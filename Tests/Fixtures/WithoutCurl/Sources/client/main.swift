import StreamsFoundation
import StreamsLoopback

// A client that is given no transport, in a package without libcurl.
let server = try LoopbackServer()
server.on("GET", "/greeting", .text("hello"))
let client = HTTPClient(baseURL: URL(string: server.url("")))
let response = try await client.response(for: HTTPRequest(.get, "/greeting"))
print(String(decoding: response.body, as: UTF8.self))
