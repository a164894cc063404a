extension HTTPError: CustomStringConvertible {
    /// A description of the request, the reason, the attempt and the number of redirects. It is one line without
    /// secrets.
    public var description: String {
        var text = request.url.isEmpty ? "\(reason)" : "\(request.method) \(request.url): \(reason)"
        if let underlying, !underlying.message.isEmpty { text += " (\(underlying.message))" }
        if attempt > 1 { text += ", in attempt \(attempt)" }
        if !redirects.isEmpty { text += ", after \(redirects.count) redirect\(redirects.count == 1 ? "" : "s")" }
        return text.printable
    }
}

extension HTTPError: LocalizedError {
    /// The ``description``, which Foundation's `localizedDescription` returns.
    public var errorDescription: String? { description }
}

extension HTTPError.Reason {
    /// The stable name for logs and metrics, such as `connection.refused` or `status`.
    public var name: String {
        switch self {
        case .invalidRequest(let invalid): invalid.name
        case .connection(let connection): connection.name
        case .timeout(let timeout): timeout.name
        case .transfer(let transfer): transfer.name
        case .webSocket(let failure): failure.name
        case .redirect(let redirect): redirect.name
        case .status: "status"
        case .decoding: "decoding"
        case .authorization(let authorization): authorization.name
        case .thrown(_, let thrower): thrower.name
        case .cancelled: "cancelled"
        }
    }
}

extension HTTPError.Reason: CustomStringConvertible {
    /// A description of the reason, without secrets. The errors of decoders, interceptors and others describe
    /// themselves.
    public var description: String {
        switch self {
        case .invalidRequest(let invalid): invalid.description
        case .connection(let connection): connection.description
        case .timeout(let timeout): timeout.description
        case .transfer(let transfer): transfer.description
        case .webSocket(let failure): failure.description
        case .redirect(let redirect): redirect.description
        case .status(let response): "the server answered \(response.status)"
        case .decoding(let status as HTTPStatus, _): "the decoder refused the status \(status)"
        case .decoding(let error, _): "the body could not be decoded: \(error)"
        case .authorization(let authorization): authorization.description
        case .thrown(let error, let thrower): "\(thrower): \(error)"
        case .cancelled: "cancelled"
        }
    }
}
