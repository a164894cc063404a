import AsyncHTTPClient
import HTTPTypes
import StreamsHTTP
import class StreamsHTTP.HTTPClient
import struct StreamsHTTP.HTTPRequest
import struct StreamsHTTP.HTTPResponse

func greeting(from client: HTTPClient) async throws(HTTPError) -> HTTPResponse<Data> {
    try await client.response(for: HTTPRequest(.get, "/greeting"))
}

func isPlain(_ fields: HTTPFields) -> Bool {
    fields[.contentType] == "text/plain"
}
