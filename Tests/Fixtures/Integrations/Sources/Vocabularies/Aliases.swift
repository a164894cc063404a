import AsyncHTTPClient
import HTTPTypes
import StreamsHTTP

typealias StreamsClient = StreamsHTTP.HTTPClient
typealias StreamsRequest = StreamsHTTP.HTTPRequest
typealias StreamsResponse = StreamsHTTP.HTTPResponse

func size(of path: String, _ client: StreamsClient) async throws(HTTPError) -> Int {
    let response: StreamsResponse<Data> = try await client.response(for: StreamsRequest(.get, path))
    return response.body.count
}
