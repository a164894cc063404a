/// What happens to a request, in order:
///
/// ```
/// (attempt upload* (head (chunk | download)*)? retrying)*
///  attempt upload*  head (chunk | download)*   response
/// ```
///
/// or one failure at any point. Redirects that are followed belong to the attempt and show in the response. A body
/// is either delivered in chunks or collected for the response, never both. Progress is conflated: a subscriber
/// that is slower than the transfer gets the newest, and never two that say the same.
public enum RequestEvent<Value> {
    /// An attempt begins.
    case attempt(RequestAttempt)
    /// More of the request's body has been handed to the connection. Never falls within an attempt, also when a
    /// redirect has the body sent again.
    case uploadProgress(TransferProgress)
    /// The head of the response has come.
    case head(HTTPResponse<Void>)
    /// More of the response's body has come.
    case downloadProgress(TransferProgress)
    /// A piece of the response's body, decoded.
    case chunk(Data)
    /// The attempt failed, and another will follow.
    case retrying(RequestRetry)
    /// The response is complete.
    case response(HTTPResponse<Value>)
}

extension RequestEvent: Sendable where Value: Sendable {}

/// An attempt to get a response.
public struct RequestAttempt: Hashable, Sendable {
    /// Counted from 1.
    public let number: Int
    /// The method of the request; a redirect within the attempt may change it.
    public let method: HTTPMethod
    /// Without credentials.
    public let url: URL
}

/// The announcement of another attempt.
public struct RequestRetry: Sendable {
    /// How long it will wait.
    public let delay: Duration
    /// Why the attempt before failed.
    public let error: HTTPError
}
