import StreamsHTTP
import Testing

/// A client and the first request of a list, both of which may have credentials, and those that are sent.
struct PageAuthorization: Sendable, CustomTestStringConvertible {
    /// Whether the client's provider authorizes requests, as the options say.
    struct Requirement {
        var ofClient: Bool?
        var ofRequest: Bool?
    }

    let baseURL: URL
    let request: HTTPRequest
    let defaultValue: String?
    let provider: (any AuthorizationProvider)?
    let requiresAuthorization: Bool?
    /// The `Authorization` of each page.
    let sent: String?
    let testDescription: String

    init(
        _ baseURL: StaticString, _ target: String, default defaultValue: String? = nil,
        provider: (any AuthorizationProvider)? = nil, _ requirement: Requirement = Requirement(),
        sent: String?
    ) {
        self.baseURL = URL(literal: baseURL)
        self.defaultValue = defaultValue
        self.provider = provider
        self.sent = sent
        requiresAuthorization = requirement.ofClient
        var request = HTTPRequest(.get, target)
        if let isRequired = requirement.ofRequest { request.options.requiresAuthorization = isRequired }
        self.request = request
        testDescription = "\(target) from \(baseURL) sends \(sent ?? "nothing")"
    }

    func configure(_ configuration: inout HTTPClient.Configuration) {
        configuration.baseURL = baseURL
        configuration.authorization = provider
        if let requiresAuthorization { configuration.options.requiresAuthorization = requiresAuthorization }
        if let defaultValue { configuration.defaultHeaders.add("Authorization", defaultValue) }
    }
}

/// A provider that has no credentials.
struct NoCredentials: AuthorizationProvider {
    func authorize(_ request: TransportRequest) -> TransportRequest { request }
}
