/// The error of a request to a service: a local failure, or an error response of the service.
///
/// ```swift
/// switch error {
/// case .local(let error): print(error)
/// case .remote(let response): print(response.status, response.body.message)
/// }
/// ```
///
/// `Content` is the service's ``HTTPService/ErrorContent``, decoded once.
public enum ServiceError<Content: Sendable>: Error {
    /// The request failed without a usable response: no connection, a timeout, or a body that cannot be decoded, error
    /// content included.
    case local(HTTPError)
    /// The service returned an error response.
    case remote(HTTPResponse<Content>)
}

/// Local failures are equal if they are alike, as ``HTTPError`` compares them, and responses if their contents and heads
/// are.
extension ServiceError: Equatable where Content: Equatable {}

extension ServiceError: ResponseFailure {
    /// The response's status, if there is a response.
    public var status: HTTPStatus? {
        switch self {
        case .local(let error): error.status
        case .remote(let response): response.status
        }
    }

    /// The service's error content, if it could be decoded.
    public var content: Content? {
        switch self {
        case .local: nil
        case .remote(let response): response.body
        }
    }

    /// Whether the request was cancelled locally.
    public var isCancellation: Bool {
        switch self {
        case .local(let error): error.isCancellation
        case .remote: false
        }
    }

    /// Creates the error of a service's request.
    init<Service: HTTPService>(
        _ error: HTTPError, of service: Service, using coders: CoderRegistry
    ) where Service.ErrorContent == Content {
        guard case .status(let response) = error.reason else {
            self = .local(error)
            return
        }
        do {
            let content = try service.decodeErrorContent(from: response, using: coders.decoder(for: response))
            self = .remote(response.replacingBody(content))
        } catch let failure {
            self = .local(
                HTTPError(
                    .decoding(failure, response), request: error.request, attempt: error.attempt,
                    redirects: error.redirects, underlying: error.underlying))
        }
    }
}

extension ServiceError: CustomStringConvertible {
    /// A description of the error, without credentials and without the content.
    public var description: String {
        switch self {
        case .local(let error): error.description
        case .remote(let response): "\(Redaction.usual.redacting(response.url)): the server answered \(response.status)"
        }
    }
}

extension ServiceError: LocalizedError {
    /// The ``description``, which Foundation's `localizedDescription` returns.
    public var errorDescription: String? { description }
}

extension ServiceError: CancellationRepresentable {
    /// The error of a cancelled task that iterates the `values` of a publisher made of requests; see
    /// ``HTTPError/cancellation``.
    public static var cancellation: ServiceError { .local(.cancellation) }
}
