import StreamsHTTP

extension HTTPError.Reason {
    /// The reason without its contents, fit for comparing.
    var outline: String {
        switch self {
        case .invalidRequest(let reason): "invalidRequest(\(reason))"
        case .encoding(let error): "encoding(\(type(of: error)))"
        case .body(let error): "body(\(type(of: error)))"
        case .connection(let reason): "connection(\(reason))"
        case .timeout(let reason): "timeout(\(reason))"
        case .transfer(let reason): "transfer(\(reason))"
        case .redirect(let reason): "redirect(\(reason))"
        case .bodyTooLarge(let limit): "bodyTooLarge(\(limit))"
        case .status(let response): "status(\(response.status))"
        case .decoding(let error, _): "decoding(\(type(of: error)))"
        case .authorization(.provider(let error)): "authorization(\(type(of: error)))"
        case .authorization(.reauthorizationNeedsAuthorization): "authorization(reauthorizationNeedsAuthorization)"
        case .interceptor(let error): "interceptor(\(type(of: error)))"
        case .cancelled: "cancelled"
        case .unanswered(let reason): "unanswered(\(reason))"
        case .shutDown: "shutDown"
        case .transport: "transport"
        }
    }
}
