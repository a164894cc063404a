/// What an interceptor is told of a request: what its exchanges come to, whether a subscriber asks for it or not.
///
/// A request ends with one of ``finished(_:)``, ``failed(_:)`` and ``cancelled``; where the client has been shut down,
/// before any attempt. Decoding comes after that, and is not told; nor is a request that cannot be made at all.
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
    /// There is no response, and no other attempt.
    case failed(HTTPError)
    /// Whoever asked for it wants it no longer.
    case cancelled
}
