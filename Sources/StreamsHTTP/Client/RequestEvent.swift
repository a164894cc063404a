/// An event of a request. The events come in this order:
///
/// ```
/// (attempt upload* (head (chunk | download)*)? retrying)*
///  attempt upload*  head (chunk | download)*   response
/// ```
///
/// or one failure at any point. Redirects that are followed belong to the attempt and are listed in the response. A
/// body is either delivered in chunks or collected for the response, never both. Progress is conflated: a subscriber
/// that is slower than the transfer receives the newest, and never two equal ones.
public enum RequestEvent<Value> {
    /// An attempt begins.
    case attempt(HTTPRequest.Attempt)
    /// More of the request's body was passed to the connection. The count never falls within an attempt, even if a
    /// redirect sends the body again.
    case uploadProgress(TransferProgress)
    /// The head of the response was received.
    case head(HTTPResponse<Void>)
    /// More of the response's body was received.
    case downloadProgress(TransferProgress)
    /// A piece of the response's body, decoded.
    case chunk(Data)
    /// The attempt failed, and another will follow.
    case retrying(HTTPRequest.Retry)
    /// The response is complete.
    case response(HTTPResponse<Value>)
}

extension RequestEvent: Sendable where Value: Sendable {}

extension HTTPRequest {
    /// An attempt to get a response.
    public struct Attempt: Hashable, Sendable {
        /// The number of the attempt, from 1.
        public let number: Int
        /// The method of the request; a redirect within the attempt may change it.
        public let method: HTTPMethod
        /// The URL, without credentials.
        public let url: URL
    }
}

extension HTTPRequest.Attempt: CustomReflectable {
    /// The properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["number": number, "method": method, "url": Redaction.usual.redacting(url)],
            displayStyle: .struct)
    }
}

extension HTTPRequest {
    /// The announcement of another attempt.
    public struct Retry: Sendable {
        /// The delay before the next attempt.
        public let delay: Duration
        /// The error of the failed attempt.
        public let error: HTTPError
    }
}
