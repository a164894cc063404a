// swift-http-types: conversions of requests and responses, both ways. HTTPTypes has no bodies.
import HTTPTypes
import StreamsHTTP

extension StreamsHTTP.HTTPRequest {
    /// Creates a request; `nil` if the other one has no scheme or no authority.
    public init?(_ request: HTTPTypes.HTTPRequest, body: HTTPBody = .empty) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        let method = HTTPMethod(rawValue: request.method.rawValue)
        let headers = HTTPHeaders(request.headerFields)
        self.init(method, "\(scheme)://\(authority)\(request.path ?? "/")", headers: headers, body: body)
    }
}

extension HTTPTypes.HTTPRequest {
    /// Creates a request; `nil` if the target is relative, or if the method, the target or a field is invalid.
    public init?(_ request: StreamsHTTP.HTTPRequest) {
        let separator = request.query.isEmpty ? "" : request.target.contains("?") ? "&" : "?"
        guard let method = Method(request.method.rawValue), let fields = HTTPFields(request.headers),
            let url = URL(string: request.target + separator + request.query.percentEncoded), url.host() != nil
        else { return nil }
        self.init(method: method, url: url, headerFields: fields)
    }
}

extension StreamsHTTP.HTTPResponse {
    /// Creates a response with a body to a request for a URL.
    public init(_ response: HTTPTypes.HTTPResponse, body: Body, url: URL) {
        self.init(
            status: HTTPStatus(response.status.code), headers: HTTPHeaders(response.headerFields), body: body, url: url)
    }
}

extension HTTPTypes.HTTPResponse {
    /// Creates a response; `nil` if the status or a field is invalid.
    public init?(_ response: StreamsHTTP.HTTPResponse<some Any>) {
        guard (0...999).contains(response.status.code), let fields = HTTPFields(response.headers) else { return nil }
        self.init(status: Status(code: response.status.code), headerFields: fields)
    }
}
