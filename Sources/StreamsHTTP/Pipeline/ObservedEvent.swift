/// What an interceptor is told of a request: what its exchanges come to, whether a subscriber asks for it or not.
///
/// A request ends with one of ``finished(_:)``, ``failed(_:)`` and ``cancelled``. Decoding comes after that, and is not
/// told; nor is a request that is refused before its first attempt.
public enum ObservedEvent: Sendable {
    /// An attempt begins.
    case attempt(RequestAttempt)
    /// A request is handed to the transport: that of an attempt, adapted, or one that a redirect asks for. It may
    /// contain credentials.
    case sending(TransportRequest)
    /// The head of a response has come, also that of a redirect.
    case head(HTTPResponse<Void>)
    /// The attempt failed, and another will follow.
    case retrying(RequestRetry)
    /// The response is complete.
    case finished(HTTPResponse<Void>)
    case failed(HTTPError)
    /// Whoever asked for it wants it no longer.
    case cancelled
}
