/// What a machine must be told before it can go on: a question to code that is the user's, and so is asked outside of
/// the lock.
indirect enum Inquiry {
    /// What the interceptors make of a request.
    case adaptation(TransportRequest, RequestContext)
    /// Whether a response is acceptable with its body.
    case validation(HTTPResponse<Data>)
    /// Whether a failed attempt is followed by another.
    case retry(HTTPError, RequestContext, retries: Int)
    /// Whether there is a response in place of an error.
    case recovery(HTTPError, RequestContext)
}

/// What is decided about a failed attempt.
enum Ruling {
    /// Another follows, by an interceptor's decision.
    case repeated(after: Duration)
    /// Another follows, by the policy's decision.
    case retry(after: Duration)
    case fail(HTTPError)
    /// None follows.
    case proceed
}

extension TransportFailure {
    /// What an interceptor threw.
    init(thrown error: any Error) {
        switch error {
        case let error as HTTPError: self.init(error.reason, underlying: error.underlying)
        case let reason as HTTPError.Reason: self.init(reason)
        default: self.init(.interceptor(error))
        }
    }
}
