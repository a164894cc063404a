/// Why an exchange failed: the one failure of every stream and every `async` call.
///
/// ```
/// HTTPError.Reason
/// ├── invalidRequest   refused before anything was sent
/// │   ├── malformedURL, unsupportedScheme, method, header, unexpectedBody
/// ├── encoding         a value could not be made into a part of the request
/// ├── body             the request's body could not be read
/// ├── connection       no connection came about
/// │   ├── proxyNotResolved, hostNotResolved, refused, tlsHandshake, untrustedCertificate, trustRoots
/// ├── timeout          connect, idle, total
/// ├── transfer         the connection stood, and the exchange broke
/// │   ├── sendFailed, receiveFailed, emptyReply, notHTTP, bodyEndedEarly, headTooLarge, undecodableContent,
/// │   │   protocolError
/// ├── redirect         a redirect could not be followed
/// │   ├── tooMany, unfollowable, unsupportedScheme, insecure, bodyNotReplayable
/// ├── bodyTooLarge     the limit on the response's body was passed
/// ├── status           the response is an error, and is here
/// ├── decoding         the response came, and its body is not what was expected
/// ├── authorization    the credentials could not be had or kept
/// │   ├── reauthorizationNeedsAuthorization, provider
/// ├── interceptor      an interceptor refused
/// ├── cancelled        somebody here cancelled it
/// ├── unanswered       a stand-in for the network has no answer
/// │   ├── noRoute, noPreview, notRecorded
/// ├── shutDown         the client had been shut down before
/// └── transport        the transport itself failed
/// ```
///
/// A `switch` over ``reason`` needs no `default`. No text of an error contains a credential.
public struct HTTPError: Error, Sendable {
    private struct Fields: Sendable {
        let reason: Reason
        let request: RequestSummary
        let attempt: Int
        let redirects: [URL]
        let underlying: Underlying?
    }

    // Everything that may fail has room for an error, and few things do.
    private let fields: Box<Fields>

    /// What went wrong.
    public var reason: Reason { fields.value.reason }
    /// What was asked for.
    public var request: RequestSummary { fields.value.request }
    /// The number of the attempt that failed, from 1.
    public var attempt: Int { fields.value.attempt }
    /// The places that had redirected before it failed, in order. The first is the URL that was asked for,
    /// without what interceptors made of it.
    public var redirects: [URL] { fields.value.redirects }
    /// What the transport's library said, where it said something.
    public var underlying: Underlying? { fields.value.underlying }

    /// Makes an error, for transports and stand-ins for them.
    ///
    /// - Parameters:
    ///   - reason: What went wrong.
    ///   - request: What was asked for.
    ///   - attempt: The number of the attempt that failed, from 1.
    ///   - redirects: The places that had redirected before it failed, in order.
    ///   - underlying: What the transport's library said, where it said something.
    public init(
        _ reason: Reason, request: RequestSummary, attempt: Int = 1, redirects: [URL] = [],
        underlying: Underlying? = nil
    ) {
        fields = Box(
            Fields(reason: reason, request: request, attempt: attempt, redirects: redirects, underlying: underlying))
    }

    /// What was asked for, as it may be shown.
    public struct RequestSummary: Hashable, Sendable {
        /// The method of the request.
        public let method: HTTPMethod
        /// The URL without credentials.
        public let url: String

        /// - Parameters:
        ///   - method: The method of the request.
        ///   - url: The URL, already without credentials: it is shown as it is.
        public init(method: HTTPMethod, url: String) {
            self.method = method
            self.url = url
        }
    }

    /// The code and the words of the library underneath.
    public struct Underlying: Hashable, Sendable {
        /// The name of the library, `libcurl` for instance.
        public let domain: String
        /// The number that the library has for it; a `CURLcode` of libcurl.
        public let code: Int
        /// What the library says of it.
        public let message: String

        /// - Parameters:
        ///   - domain: The name of the library.
        ///   - code: The number that the library has for it.
        ///   - message: What the library says of it, without credentials: it is shown as it is.
        public init(domain: String, code: Int, message: String) {
            self.domain = domain
            self.code = code
            self.message = message
        }
    }
}

extension HTTPError {
    /// What can go wrong; the tree is drawn at ``HTTPError``.
    public enum Reason: Error, Sendable {
        /// The request was refused before anything was sent.
        case invalidRequest(InvalidRequest)
        /// An endpoint's query, headers or parameters could not be made. Nothing was sent.
        case encoding(any Error)
        /// The request's body could not be made or read; what its source said.
        case body(any Error)
        /// No connection came about.
        case connection(Connection)
        /// Something took longer than it may.
        case timeout(Timeout)
        /// The connection stood, and the exchange broke.
        case transfer(Transfer)
        /// A redirect could not be followed.
        case redirect(Redirect)
        /// The response's body is larger than so many bytes, the limit of ``RequestOptions/maxBodySize``.
        case bodyTooLarge(limit: Int)
        /// The response does not pass ``ResponseValidation``.
        indirect case status(HTTPResponse<Data>)
        /// The body of the response could not be decoded; what the decoder said.
        indirect case decoding(any Error, HTTPResponse<Data>)
        /// The credentials could not be had or kept.
        case authorization(Authorization)
        /// An interceptor threw this.
        case interceptor(any Error)
        /// Somebody here cancelled it.
        case cancelled
        /// A stand-in for the network has no answer.
        case unanswered(Unanswered)
        /// The client takes no requests since ``HTTPClient/shutdown(deadline:)``. Nothing was sent.
        case shutDown
        /// The transport itself failed; ``HTTPError/underlying`` says how.
        case transport
    }

    /// What a request can be refused for.
    public enum InvalidRequest: Hashable, Sendable {
        /// This is no URL with a host, or does not become one with the base URL; it is shown without credentials.
        case malformedURL(String)
        /// The URL's scheme is this, and neither `http` nor `https`.
        case unsupportedScheme(String)
        /// The method is no token (RFC 9110, section 9.1).
        case method(String)
        /// The field's name is no token, or its value has a line break or another control character.
        /// It is also refused where it says how the body is framed, which is the transport's to say.
        case header(name: String)
        /// The method has no content (RFC 9110, section 9.3).
        case unexpectedBody(HTTPMethod)
    }

    /// Why no connection came about.
    public enum Connection: Hashable, Sendable {
        /// No address is known for the proxy's name.
        case proxyNotResolved
        /// No address is known for the host's name.
        case hostNotResolved
        /// Nobody answered at the address: refused, unreachable, or no such socket.
        case refused
        /// The two sides did not agree on TLS, or the client's certificate could not be used.
        case tlsHandshake
        /// The certificate is not vouched for, expired, or another host's.
        case untrustedCertificate
        /// The file of trusted authorities cannot be used.
        case trustRoots
    }

    /// Which of the ``Timeouts`` ran out.
    public enum Timeout: Hashable, Sendable {
        /// ``Timeouts/connect``.
        case connect
        /// ``Timeouts/idle``.
        case idle
        /// ``Timeouts/total``: of everything together, so it is not retried.
        case total
    }

    /// How an exchange broke.
    public enum Transfer: Hashable, Sendable {
        /// The connection broke while the request was sent.
        case sendFailed
        /// The connection broke while the response was received.
        case receiveFailed
        /// The connection closed before a byte of a response.
        case emptyReply
        /// What came is not HTTP, or none that is spoken here.
        case notHTTP
        /// The connection closed before the whole body had come.
        case bodyEndedEarly
        /// The response's head is larger than the transport takes.
        case headTooLarge
        /// The body is not in the encoding that `Content-Encoding` names.
        case undecodableContent
        /// The peer broke the rules of the protocol in another way.
        case protocolError
    }

    /// What stood in the way of the credentials.
    public enum Authorization: Sendable {
        /// The call that is to bring new credentials requires authorization itself, and would wait for what it is to
        /// bring.
        case reauthorizationNeedsAuthorization
        /// The provider could not authorize a request, or not take note of the credentials in a response.
        case provider(any Error)
    }

    /// Why a redirect was not followed.
    public enum Redirect: Hashable, Sendable {
        /// So many were followed, and there was another.
        case tooMany(limit: Int)
        /// The `Location` is no URL.
        case unfollowable(location: String)
        /// The new URL's scheme is this, and neither `http` nor `https`.
        case unsupportedScheme(String)
        /// From https to http.
        case insecure
        /// The body would have to be sent again and cannot be.
        case bodyNotReplayable
    }

    /// What a mock, a preview or a replay was asked for in vain.
    public enum Unanswered: Hashable, Sendable {
        /// No route of a ``MockTransport`` fits the request, which is named by method and URL.
        case noRoute(String)
        /// A ``PreviewStore`` has none of these assets, in the order in which they were looked for.
        case noPreview(names: [String])
        /// A ``ReplayTransport`` has no such request, or no more of them; it is named by method and URL.
        case notRecorded(String)
    }
}

extension HTTPError: CustomReflectable {
    public var customMirror: Mirror { Mirror(reflecting: fields.value) }
}

extension HTTPError: ResponseFailure {
    /// The response's status, where there is a response: one that is an error, or one that could not be decoded.
    public var status: HTTPStatus? { response?.status }

    /// The response, where there is one; the body of an error up to ``RequestOptions/maxErrorBodySize``.
    public var response: HTTPResponse<Data>? {
        switch reason {
        case .status(let response), .decoding(_, let response): response
        case .invalidRequest, .encoding, .body, .connection, .timeout, .transfer, .redirect, .bodyTooLarge,
            .authorization, .interceptor, .cancelled, .unanswered, .shutDown, .transport:
            nil
        }
    }

    /// Whether it was cancelled here, as opposed to having failed.
    public var isCancellation: Bool {
        if case .cancelled = reason { true } else { false }
    }

    /// A service's own error content, decoded from the body of a response that is an error.
    ///
    /// ```swift
    /// catch { if let problem = error.content(as: Problem.self) { print(problem.title) } }
    /// ```
    ///
    /// - Returns: `nil` where there is no response or its body is something else.
    public func content<Content: Decodable>(
        as type: Content.Type, decoder: any DataDecoder = JSONDecoder()
    ) -> Content? {
        response.flatMap { try? decoder.decode(type, from: $0.body) }
    }
}
