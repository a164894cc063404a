import AsyncHTTPClient
import HTTPTypes
import Logging
import NIOCore
import NIOHTTP1
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#else
import Foundation
#endif

func statuses(of url: URL, _ logger: Logger) async throws -> [Int] {
    let client = StreamsHTTP.HTTPClient()
    let request = StreamsHTTP.HTTPRequest(.get, url, headers: ["Accept": "text/plain"])
    let response: StreamsHTTP.HTTPResponse<Data> = try await client.response(for: request)

    var otherRequest = HTTPClientRequest(url: url.absoluteString)
    otherRequest.headers = NIOHTTP1.HTTPHeaders([("Accept", "text/plain")])
    let otherResponse = try await AsyncHTTPClient.HTTPClient.shared.execute(
        otherRequest, timeout: .seconds(30), logger: logger)

    let (_, foundationResponse) = try await URLSession.shared.data(for: URLRequest(url: url))
    logger.info("answers", metadata: ["length": "\(response.body.count)"])
    return [
        response.status.code, Int(otherResponse.status.code),
        (foundationResponse as? HTTPURLResponse)?.statusCode ?? 0,
    ]
}

func head(of request: HTTPTypes.HTTPRequest) -> StreamsHTTP.HTTPHeaders {
    StreamsHTTP.HTTPHeaders(request.headerFields.map { HTTPHeaders.Field(name: $0.name.rawName, value: $0.value) })
}
