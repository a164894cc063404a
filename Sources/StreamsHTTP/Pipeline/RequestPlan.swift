/// All that one subscription needs to know: what to send first, on what, and by which rules.
struct RequestPlan: Sendable {
    /// What becomes of the body of a response.
    enum BodyUse: Sendable {
        case collect
        case deliver
    }

    /// The first request, or why there can be none.
    let request: Result<TransportRequest, HTTPError>
    let bodyUse: BodyUse
    let options: RequestOptions
    let transport: any HTTPTransport
    let clock: RequestClock

    /// The largest body that is collected where nobody says otherwise.
    private static let defaultMaxBodySize = 64 * 1024 * 1024
    /// The most that is kept of the body of an error where nobody says otherwise.
    private static let defaultMaxErrorBodySize = 1024 * 1024

    init(
        _ request: HTTPRequest, client: HTTPClient, bodyUse: BodyUse
    ) {
        let configuration = client.configuration
        options = request.options.merging(defaults: configuration.options)
        transport = client.transport
        clock = client.clock
        self.bodyUse = bodyUse
        self.request = Self.transportRequest(request, configuration, options, bodyUse)
    }

    /// A plan that fails before anything is sent.
    init(failing error: HTTPError, client: HTTPClient, bodyUse: BodyUse) {
        request = .failure(error)
        options = client.configuration.options
        transport = client.transport
        clock = client.clock
        self.bodyUse = bodyUse
    }

    /// The largest body that is taken; `nil` where there is no limit.
    var maxBodySize: Int? {
        let limit = options.maxBodySize ?? (bodyUse == .collect ? Self.defaultMaxBodySize : nil)
        return limit.map { max($0, 0) }
    }

    /// The most that is kept of the body of an error.
    var maxErrorBodySize: Int {
        max(options.maxErrorBodySize ?? min(Self.defaultMaxErrorBodySize, maxBodySize ?? .max), 0)
    }

    /// What is asked for first.
    var summary: HTTPError.RequestSummary {
        switch request {
        case .success(let request): request.summary
        case .failure(let error): error.request
        }
    }

    fileprivate static func transportRequest(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ options: RequestOptions, _ bodyUse: BodyUse
    ) -> Result<TransportRequest, HTTPError> {
        do throws(HTTPError.Reason) {
            let target = try RequestTarget(request, baseURL: configuration.baseURL)
            let headers = try headers(request, configuration, target)
            let timeouts = options.timeouts ?? Timeouts()
            let connection = options.connection ?? ConnectionOptions()
            return .success(
                TransportRequest(
                    method: request.method, url: target.url, headers: headers, body: request.body,
                    connection: connection, connectTimeout: timeouts.connect, idleTimeout: timeouts.idle,
                    isPaced: bodyUse == .deliver, previewName: options.previewName))
        } catch {
            return .failure(HTTPError(error, request: request.summary))
        }
    }

    /// The fields as they will be sent. What would let a value of the user's become part of the protocol is refused.
    private static func headers(
        _ request: HTTPRequest, _ configuration: HTTPClient.Configuration, _ target: RequestTarget
    ) throws(HTTPError.Reason) -> HTTPHeaders {
        guard request.method.rawValue.isToken, request.method != .connect else {
            throw .invalidRequest(.method(request.method.rawValue))
        }
        if request.method == .head || request.method == .trace, !request.body.isEmpty {
            throw .invalidRequest(.unexpectedBody(request.method))
        }
        var headers = request.headers.merging(defaults: configuration.defaultHeaders)
        if let authorization = target.authorization, !headers.contains("Authorization") {
            headers.add("Authorization", authorization)
        }
        if let contentType = request.body.contentType, !headers.contains("Content-Type") {
            headers.add("Content-Type", contentType)
        }
        if !headers.contains("Accept") { headers.add("Accept", "*/*") }
        if !headers.contains("User-Agent") { headers.add("User-Agent", HTTPClient.userAgent) }
        if let name = headers.firstInvalidName { throw .invalidRequest(.header(name: name)) }
        // How the body is framed is the transport's to say (RFC 9112, section 6).
        if let field = headers.first(where: \.saysFraming) { throw .invalidRequest(.header(name: field.name)) }
        return headers
    }
}

extension HTTPHeaders.Field {
    fileprivate var saysFraming: Bool {
        ["content-length", "transfer-encoding"].contains { name.isEqualIgnoringASCIICase(to: $0) }
    }
}

extension HTTPRequest {
    /// What a client without settings of its own would hand to its transport.
    package func transportRequest() throws(HTTPError) -> TransportRequest {
        try RequestPlan.transportRequest(self, HTTPClient.Configuration(), options, .collect).get()
    }

    /// The request as an error may show it.
    var summary: HTTPError.RequestSummary {
        HTTPError.RequestSummary(method: method, url: target.redactedTarget)
    }
}

extension TransportRequest {
    var summary: HTTPError.RequestSummary {
        HTTPError.RequestSummary(method: method, url: url.redactedString)
    }
}
