/// Why a request to a service failed: something here, or the service said so.
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
    /// The request failed without an answer that could be understood: no connection, a deadline, a body that is not
    /// what was expected, the error content included.
    case local(HTTPError)
    /// The service answered with an error.
    case remote(HTTPResponse<Content>)
}

extension ServiceError: ResponseFailure {
    /// The answer's status, where there was an answer.
    public var status: HTTPStatus? {
        switch self {
        case .local(let error): error.status
        case .remote(let response): response.status
        }
    }

    /// What the service said, where it could be understood.
    public var content: Content? {
        switch self {
        case .local: nil
        case .remote(let response): response.body
        }
    }

    /// Whether it was cancelled here, as opposed to having failed.
    public var isCancellation: Bool {
        switch self {
        case .local(let error): error.isCancellation
        case .remote: false
        }
    }

    /// The error of a service's request.
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
    /// What failed. Contains no credential, and nothing of the content.
    public var description: String {
        switch self {
        case .local(let error): error.description
        case .remote(let response): "\(response.url.redactedString): the server answered \(response.status)"
        }
    }
}
