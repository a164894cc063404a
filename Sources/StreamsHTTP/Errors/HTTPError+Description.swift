extension HTTPError: CustomStringConvertible {
    /// What failed, of which request, in which attempt and after how many redirects. Contains no credential.
    public var description: String {
        var text = "\(request.method) \(request.url): \(reason.summary)"
        if let underlying, !underlying.message.isEmpty { text += " (\(underlying.message))" }
        if attempt > 1 { text += ", in attempt \(attempt)" }
        if !redirects.isEmpty { text += ", after \(redirects.count) redirect\(redirects.count == 1 ? "" : "s")" }
        return text
    }
}

extension HTTPError.Reason {
    /// A short name without dynamic parts, fit for a metric's label.
    public var label: String {
        switch self {
        case .invalidRequest: "invalid-request"
        case .encoding: "encoding"
        case .body: "body"
        case .connection: "connection"
        case .timeout: "timeout"
        case .transfer: "transfer"
        case .redirect: "redirect"
        case .bodyTooLarge: "body-too-large"
        case .status: "status"
        case .decoding: "decoding"
        case .authorization: "authorization"
        case .interceptor: "interceptor"
        case .cancelled: "cancelled"
        case .unanswered: "unanswered"
        case .shutDown: "shut-down"
        case .transport: "transport"
        }
    }

    /// What went wrong, in words.
    var summary: String {
        switch self {
        case .invalidRequest(let invalid): invalid.summary
        case .encoding(let error): "the request could not be made: \(error)"
        case .body(let error): "the request's body could not be sent: \(error)"
        case .connection(let connection): connection.summary
        case .timeout(let timeout): timeout.summary
        case .transfer(let transfer): transfer.summary
        case .redirect(let redirect): redirect.summary
        case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes"
        case .status(let response): "the server answered \(response.status)"
        case .decoding(let error, _): "the body could not be decoded: \(error)"
        case .authorization(let authorization): authorization.summary
        case .interceptor(let error): "an interceptor refused: \(error)"
        case .cancelled: "cancelled"
        case .unanswered(let unanswered): unanswered.summary
        case .shutDown: "the client has been shut down"
        case .transport: "the transport failed"
        }
    }
}

extension HTTPError.InvalidRequest {
    fileprivate var summary: String {
        switch self {
        case .malformedURL: "the URL is malformed"
        case .unsupportedScheme(let scheme): "the scheme \(scheme) is not supported"
        case .method(let method): "\(method.debugDescription) is no method"
        case .header(let name): "the header \(name.debugDescription) has a character that is not allowed"
        case .unexpectedBody(let method): "a \(method) request has no body"
        }
    }
}

extension HTTPError.Connection {
    fileprivate var summary: String {
        switch self {
        case .proxyNotResolved: "the proxy's name could not be resolved"
        case .hostNotResolved: "the host's name could not be resolved"
        case .refused: "could not connect"
        case .tlsHandshake: "the TLS handshake failed"
        case .untrustedCertificate: "the server's certificate is not trusted"
        case .trustRoots: "the file of trusted certificates cannot be used"
        }
    }
}

extension HTTPError.Timeout {
    fileprivate var summary: String {
        switch self {
        case .connect: "connecting took too long"
        case .idle: "the peer kept silent for too long"
        case .total: "the request took too long"
        }
    }
}

extension HTTPError.Transfer {
    fileprivate var summary: String {
        switch self {
        case .sendFailed: "sending failed"
        case .receiveFailed: "receiving failed"
        case .emptyReply: "the server closed the connection without a response"
        case .notHTTP: "the reply is not HTTP"
        case .bodyEndedEarly: "the body ended early"
        case .headTooLarge: "the response's head is too large"
        case .undecodableContent: "the content encoding cannot be decoded"
        case .protocolError: "the server broke the protocol"
        }
    }
}

extension HTTPError.Authorization {
    fileprivate var summary: String {
        switch self {
        case .reauthorizationNeedsAuthorization: "the call for new credentials requires authorization itself"
        case .provider(let error): "the credentials could not be had or kept: \(error)"
        }
    }
}

extension HTTPError.Redirect {
    fileprivate var summary: String {
        switch self {
        case .tooMany(let limit): "more than \(limit) redirects"
        case .unfollowable: "redirected to something that is no URL"
        case .unsupportedScheme(let scheme): "redirected to the unsupported scheme \(scheme)"
        case .insecure: "redirected from https to http"
        case .bodyNotReplayable: "redirected, and the body cannot be sent again"
        }
    }
}

extension HTTPError.Unanswered {
    fileprivate var summary: String {
        switch self {
        case .noRoute(let request): "no route answers \(request)"
        case .noPreview(let names): "no preview is named \(names.joined(separator: ", nor "))"
        case .notRecorded(let request): "no recorded exchange is left for \(request)"
        }
    }
}
