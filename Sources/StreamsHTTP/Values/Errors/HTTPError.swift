/// The error of a request: the only failure of every stream and every `async` call.
///
/// ```
/// HTTPError.Reason
/// ├── invalidRequest   rejected before anything was sent
/// │   ├── malformedURL, missingBaseURL, malformedBaseURL, unsupportedScheme, unsupportedInternationalName,
/// │   │   absoluteTarget, credentialsWithoutOrigin, method, headerName, headerValue, framingHeader,
/// │   │   unexpectedBody, unsupportedTLS, unsupportedHTTP2, unsupportedUnixSockets, connectionOption,
/// │   │   unsupportedOption, outdatedLibrary, clientShutDown, downloadInProgress, webSocket
/// ├── connection       no connection could be established, or a policy allowed none
/// │   ├── proxyNotResolved, hostNotResolved, addressNotAllowed, refused, tlsHandshake, untrustedCertificate,
/// │   │   publicKeyNotPinned, trustRoots, resourceExhausted, circuitOpen, rateLimited
/// ├── timeout          a timeout expired
/// │   ├── connect, idle, minimumRate, total, queue, permit, pong
/// ├── transfer         the exchange failed
/// │   ├── sendFailed, receiveFailed, emptyReply, reusedConnectionLost, requestRefused, notHTTP, bodyEndedEarly,
/// │   │   bodyTooLarge, headTooLarge, elementTooLarge, unexpectedContentType, undecodableContent, checksumMismatch,
/// │   │   unexpectedRange, protocolError, other
/// ├── webSocket        a WebSocket could not be opened, or has failed
/// │   ├── notAccepted, protocolError, invalidText, undecodableMessage, messageTooLarge, lost, closed,
/// │   │   notSendable
/// ├── redirect         a redirect, or the link to a next page, could not be followed
/// │   ├── tooMany, loop, unfollowable, unsupportedScheme, insecure, bodyNotReplayable, leavesOrigin, refused
/// ├── status           the response is an error; includes the response
/// ├── decoding         the response's body could not be decoded; includes the response
/// ├── authorization    the credentials could not be obtained or stored
/// │   ├── provider, reauthorizationNeedsAuthorization
/// ├── thrown           code outside of the client threw an error
/// │   ├── by encoder, body, interceptor, transport, file
/// └── cancelled        the request was cancelled locally
/// ```
///
/// A `switch` over ``reason`` needs no `default`. A `switch` over the kinds below a reason needs one, because later
/// versions may add kinds. Each has a stable ``name`` for logs and metrics. <doc:HandlingErrors> lists them.
///
/// The description of an error is one line, in which control characters are escaped, and its URL has neither
/// credentials nor values that the client's ``HTTPClient/Configuration/redaction`` hides. The error of a decoder, an
/// interceptor or a provider describes itself.
public struct HTTPError: Error, Sendable {
    private struct Fields: Sendable {
        let reason: Reason
        let request: RequestSummary
        let attempt: Int
        let redirects: [URL]
        let underlying: Underlying?
        let originalMethod: HTTPMethod
    }

    // Boxed, so that a result that may fail is small.
    private let fields: Box<Fields>

    /// The reason for the failure.
    public var reason: Reason { fields.value.reason }
    /// The stable name of the reason and its kind for logs and metrics, such as `connection.refused` or `status`.
    public var name: String { reason.name }
    /// The request that failed.
    public var request: RequestSummary { fields.value.request }
    /// The number of the attempt that failed, from 1.
    public var attempt: Int { fields.value.attempt }
    /// The URLs that redirected before the failure, in order. The first is the requested URL, without the changes of
    /// interceptors.
    public var redirects: [URL] { fields.value.redirects }
    /// The error of the transport's library, if there is one.
    public var underlying: Underlying? { fields.value.underlying }

    /// The method of the request before redirects.
    var originalMethod: HTTPMethod { fields.value.originalMethod }

    /// Creates an error, for transports and their test doubles; the properties describe the parameters.
    public init(
        _ reason: Reason, request: RequestSummary, attempt: Int = 1, redirects: [URL] = [],
        underlying: Underlying? = nil
    ) {
        self.init(
            reason, request: request, attempt: attempt, redirects: redirects, underlying: underlying,
            originalMethod: request.method)
    }

    init(
        _ reason: Reason, request: RequestSummary, attempt: Int, redirects: [URL], underlying: Underlying?,
        originalMethod: HTTPMethod
    ) {
        fields = Box(
            Fields(
                reason: reason, request: request, attempt: attempt, redirects: redirects, underlying: underlying,
                originalMethod: originalMethod))
    }

    /// The summary of a request, without secrets.
    public struct RequestSummary: Hashable, Sendable {
        /// The method of the request.
        public let method: HTTPMethod
        /// The URL without credentials and other secrets (``HTTPClient/Configuration/redaction``). It is shown
        /// unchanged.
        public let url: String

        /// Creates a summary; the properties describe the parameters.
        public init(method: HTTPMethod, url: String) {
            self.method = method
            self.url = url
        }
    }

    /// An error of the underlying library or system, or the cause of an error that has another reason.
    public struct Underlying: Hashable, Sendable {
        /// The name of the library, `libcurl` for instance; `errno` for the system, `HTTP/2` or `HTTP/2 stream` for the
        /// reason that a connection or a stream by HTTP/2 ended, and `Streams` for what the client detected otherwise.
        public let domain: String
        /// The library's error code: a `CURLcode` for libcurl, a code of RFC 9113, section 7, for HTTP/2, and zero for
        /// `Streams`.
        public let code: Int
        /// The error message, without credentials. It is shown unchanged.
        public let message: String

        /// Creates an underlying error; the properties describe the parameters.
        public init(domain: String, code: Int, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }
}

extension HTTPError {
    /// The reason for a failure; see the tree at ``HTTPError``.
    public enum Reason: Error, Sendable {
        /// The request was rejected before anything was sent.
        case invalidRequest(InvalidRequest)
        /// No connection could be established, or a policy of the client allowed none.
        case connection(Connection)
        /// A timeout expired.
        case timeout(Timeout)
        /// The exchange failed: the connection broke, or the response is not what it should be.
        case transfer(Transfer)
        /// A WebSocket could not be opened, or has failed.
        case webSocket(WebSocketFailure)
        /// A redirect could not be followed.
        case redirect(Redirect)
        /// The response failed ``ResponseValidation``, even if its body broke afterwards.
        indirect case status(HTTPResponse<Data>)
        /// The response's body could not be decoded; the decoder's error and the response.
        indirect case decoding(any Error, HTTPResponse<Data>)
        /// The credentials could not be obtained or stored.
        case authorization(Authorization)
        /// Code outside of the client threw an error, such as an interceptor or the source of the body.
        case thrown(any Error, by: Thrower)
        /// The request was cancelled locally.
        case cancelled
    }
}

extension HTTPError: Equatable {
    /// Returns whether two failures are alike: their names, requests, attempts and statuses are equal. What responses and
    /// other errors contain is not compared.
    public static func == (error: HTTPError, other: HTTPError) -> Bool {
        error.name == other.name && error.request == other.request && error.attempt == other.attempt
            && error.status == other.status
    }
}

extension HTTPError: CustomReflectable {
    /// The properties, without secrets.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "reason": reason, "request": request, "attempt": attempt,
                "redirects": redirects.map { Redaction.usual.redacting($0) }, "underlying": underlying as Any,
            ])
    }
}

extension HTTPError: ResponseFailure {
    /// The response's status, if there is a response: one that failed validation or could not be decoded.
    public var status: HTTPStatus? { response?.status }

    /// The response, if there is one. The body of an error is limited to ``RequestOptions/maxErrorBodySize``. If it broke
    /// or could not be decoded, it is the part before that.
    public var response: HTTPResponse<Data>? {
        switch reason {
        case .status(let response), .decoding(_, let response): response
        case .invalidRequest, .connection, .timeout, .transfer, .webSocket, .redirect, .authorization, .thrown,
            .cancelled:
            nil
        }
    }

    /// Whether the request was cancelled locally.
    public var isCancellation: Bool {
        if case .cancelled = reason { true } else { false }
    }

    /// Returns a service's error content, decoded from the response's body.
    ///
    /// ```swift
    /// catch { if let problem = error.content(as: Problem.self) { print(problem.title) } }
    /// ```
    ///
    /// - Returns: The content; `nil` if there is no response or its body cannot be decoded.
    public func content<Content: Decodable>(
        as type: Content.Type, decoder: any DataDecoder = JSONDecoder()
    ) -> Content? {
        response.flatMap { try? decoder.decode(type, from: $0.body) }
    }
}

extension HTTPError: CancellationRepresentable {
    /// The error of a cancelled task that iterates the `values` of a publisher made of requests. Its reason is
    /// ``Reason/cancelled``, and its request is empty, because several requests may be under way.
    public static var cancellation: HTTPError {
        HTTPError(.cancelled, request: RequestSummary(method: .get, url: ""))
    }
}

// Classifications of failures, for callers that handle them.

extension HTTPError {
    /// Whether a timeout expired, one of ``RequestOptions/Timeouts`` or of ``WebSocketOptions``. The statuses 408 and
    /// 504 are responses, not timeouts.
    public var isTimeout: Bool {
        if case .timeout = reason { true } else { false }
    }

    /// Whether no connection could be established, in time or at all, or a policy of the client allowed none.
    public var isConnectionFailure: Bool {
        switch reason {
        case .connection, .timeout(.connect): true
        default: false
        }
    }

    /// Whether the server may have processed the request.
    ///
    /// `false` only if the first attempt failed before any part of the request was sent, or if the server has said that it
    /// did not process the request (``Transfer/requestRefused``). `true` after a response, a redirect or an earlier
    /// attempt, and if it is unknown how much was sent.
    public var mayHaveBeenProcessed: Bool {
        guard attempt == 1, redirects.isEmpty else { return true }
        return switch reason {
        case .invalidRequest, .connection, .timeout(.connect), .timeout(.queue), .timeout(.permit),
            .transfer(.requestRefused), .thrown(_, by: .encoder):
            false
        case .timeout, .transfer, .webSocket, .redirect, .status, .decoding, .authorization, .thrown, .cancelled: true
        }
    }

    /// Whether the request can be sent again and may succeed then: the failure is transient by the default rule of
    /// ``RetryPolicy``, and the method is idempotent (RFC 9110, section 9.2.2), or the server cannot have processed the
    /// request (``mayHaveBeenProcessed``).
    ///
    /// It does not consider whether the body can be sent again; see ``HTTPBody/isReplayable``.
    public var isRetryable: Bool {
        RetryPolicy.never.isTransient(reason) && (originalMethod.isIdempotent || !mayHaveBeenProcessed)
    }
}

extension HTTPError.Reason {
    /// Returns whether another attempt may succeed, by the default rule of retries, reconnections and circuits, which
    /// differ in the statuses that they take for transient.
    func isTransient(_ isTransientStatus: (HTTPStatus) -> Bool) -> Bool {
        switch self {
        case .connection(let connection): connection.isTransient
        case .timeout(let timeout): timeout.isTransient
        case .transfer(let transfer): transfer.isTransient
        case .webSocket(let failure): failure.isTransient
        // Another attempt would find as little in the cache.
        case .status(let response): response.cacheStatus?.isRefused != true && isTransientStatus(response.status)
        case .invalidRequest, .redirect, .decoding, .authorization, .thrown, .cancelled: false
        }
    }
}

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
