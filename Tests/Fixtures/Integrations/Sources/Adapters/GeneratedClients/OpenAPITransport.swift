// Swift OpenAPI Generator (swift-openapi-runtime): a transport for generated clients, which streams the bodies of
// requests and responses. OpenAPIBodies, HTTPTypesMessages and HTTPTypesFields belong to it.
import HTTPTypes
import OpenAPIRuntime
import StreamsHTTP

/// A transport that sends the requests of generated clients through an `HTTPClient`.
public struct OpenAPITransport: ClientTransport {
    private let client: HTTPClient

    /// Creates a transport.
    public init(_ client: HTTPClient) { self.client = client }

    /// Sends a request. A base URL without a host, such as `/v1`, is appended to the base URL of the client.
    public func send(
        _ request: HTTPTypes.HTTPRequest, body: OpenAPIRuntime.HTTPBody?, baseURL: URL, operationID: String
    ) async throws -> (HTTPTypes.HTTPResponse, OpenAPIRuntime.HTTPBody?) {
        let method = HTTPMethod(rawValue: request.method.rawValue)
        let base = baseURL.absoluteString.prefix { $0 != "?" && $0 != "#" }
        let target = (base.hasSuffix("/") ? base.dropLast() : base) + (request.path ?? "")
        var headers = HTTPHeaders(request.headerFields)
        // The client sets this field itself, and refuses requests that have it.
        headers.remove("Content-Length")
        let response = try await client.streamedResponse(
            for: StreamsHTTP.HTTPRequest(
                method, String(target), headers: headers, body: body.map(StreamsHTTP.HTTPBody.init) ?? .empty
            ).settingOptions { $0.validation = .acceptAll })
        guard let head = HTTPTypes.HTTPResponse(response) else {
            throw HTTPError(.transfer(.notHTTP), request: .init(method: method, url: response.url.host() ?? ""))
        }
        return (head, request.method == .head ? nil : OpenAPIRuntime.HTTPBody(response.body, of: head))
    }
}
