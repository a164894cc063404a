// Smithy (smithy-swift): an HTTP client for the AWS SDK for Swift and other clients that Smithy generates, which
// streams the bodies of requests and responses. SmithyBodies belongs to it.
import Smithy
import SmithyHTTPAPI
import StreamsHTTP

/// An HTTP client of Smithy that sends requests through an `HTTPClient`.
public struct SmithyHTTPClient: SmithyHTTPAPI.HTTPClient {
    private let client: StreamsHTTP.HTTPClient

    /// Creates an HTTP client of Smithy.
    public init(_ client: StreamsHTTP.HTTPClient) { self.client = client }

    public func send(request: SmithyHTTPAPI.HTTPRequest) async throws -> SmithyHTTPAPI.HTTPResponse {
        guard let url = request.destination.url else { throw Smithy.ClientError.dataNotFound("There is no URL.") }
        var headers = HTTPHeaders()
        for header in request.headers.headers { for value in header.value { headers.add(header.name, value) } }
        // The client sets both fields itself, and refuses requests that have them. The length comes from the field,
        // because that of the stream may differ from the length of the body.
        let length = headers["Content-Length"].flatMap { Int64($0) }
        headers.remove("Content-Length")
        headers.remove("Transfer-Encoding")
        // An object may have been stored with a coding, and checksums are those of the bytes as sent.
        var options = RequestOptions()
        options.connection.decodesContent = false
        options.validation = .acceptAll
        let response = try await client.streamedResponse(
            for: StreamsHTTP.HTTPRequest(
                HTTPMethod(rawValue: request.method.rawValue), url, headers: headers,
                body: HTTPBody(request.body, length: length), options: options))
        var fields = Headers()
        for field in response.headers { fields.add(name: field.name, value: field.value) }
        // An unknown status is equivalent to the first of its class (RFC 9110, section 15).
        let code = response.status.code
        return SmithyHTTPAPI.HTTPResponse(
            headers: fields,
            statusCode: HTTPStatusCode(rawValue: code) ?? HTTPStatusCode(rawValue: code / 100 * 100) ?? .badGateway,
            body: .stream(ResponseStream(response.body)))
    }
}
