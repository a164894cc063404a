extension HTTPError {
    /// A kind of ``Reason/invalidRequest(_:)``: the reason that a request was rejected.
    public struct InvalidRequest: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case malformedURL = "invalid-request.malformed-url"
            case missingBaseURL = "invalid-request.missing-base-url"
            case malformedBaseURL = "invalid-request.malformed-base-url"
            case unsupportedScheme = "invalid-request.unsupported-scheme"
            case absoluteTarget = "invalid-request.absolute-target"
            case credentialsWithoutOrigin = "invalid-request.credentials-without-origin"
            case unsupportedInternationalName = "invalid-request.unsupported-international-name"
            case method = "invalid-request.method"
            case headerName = "invalid-request.header-name"
            case headerValue = "invalid-request.header-value"
            case framingHeader = "invalid-request.framing-header"
            case unexpectedBody = "invalid-request.unexpected-body"
            case unsupportedTLS = "invalid-request.unsupported-tls"
            case unsupportedHTTP2 = "invalid-request.unsupported-http2"
            case unsupportedUnixSockets = "invalid-request.unsupported-unix-sockets"
            case connectionOption = "invalid-request.connection-option"
            case unsupportedOption = "invalid-request.unsupported-option"
            case outdatedLibrary = "invalid-request.outdated-library"
            case clientShutDown = "invalid-request.client-shut-down"
            case downloadInProgress = "invalid-request.download-in-progress"
            case webSocket = "invalid-request.web-socket"
        }

        package let detail: FailureDetail
        package let code: Code

        package init(_ code: Code, _ detail: FailureDetail = .none) {
            self.code = code
            self.detail = detail
        }

        /// The stable name, such as `invalid-request.malformed-url`.
        public var name: String { code.rawValue }
        /// The rejected part of the request, such as the URL, the method or the header's name; `nil` if there is none.
        public var value: String? { detail.text }

        /// Returns whether a kind matches a pattern: it is the same kind, with the same value if the pattern has one.
        public static func ~= (pattern: InvalidRequest, invalid: InvalidRequest) -> Bool {
            pattern.code == invalid.code && pattern.detail.matches(invalid.detail)
        }
    }
}

// MARK: URLs

extension HTTPError.InvalidRequest {
    /// The URL has no host, or is malformed in another way.
    public static let malformedURL = Self(.malformedURL)

    /// ``malformedURL`` of a URL, which is shown without secrets.
    public static func malformedURL(_ url: String) -> Self { Self(.malformedURL, .text(url)) }

    /// The target is relative, and the client has no base URL.
    public static let missingBaseURL = Self(.missingBaseURL)

    /// ``missingBaseURL`` for a target, which is shown without secrets.
    public static func missingBaseURL(_ target: String) -> Self { Self(.missingBaseURL, .text(target)) }

    /// The client's base URL has no scheme or no host, or is malformed in another way.
    public static let malformedBaseURL = Self(.malformedBaseURL)

    /// ``malformedBaseURL`` of a URL, which is shown without secrets.
    public static func malformedBaseURL(_ url: String) -> Self { Self(.malformedBaseURL, .text(url)) }

    /// The URL's scheme is neither `http` nor `https`.
    public static let unsupportedScheme = Self(.unsupportedScheme)

    /// ``unsupportedScheme`` of a name.
    public static func unsupportedScheme(_ scheme: String) -> Self { Self(.unsupportedScheme, .text(scheme)) }

    /// The URL's host has characters outside of ASCII, and the system lacks libidn2, which maps such names (UTS 46).
    public static let unsupportedInternationalName = Self(.unsupportedInternationalName)

    /// ``unsupportedInternationalName`` of a host.
    public static func unsupportedInternationalName(_ host: String) -> Self {
        Self(.unsupportedInternationalName, .text(host))
    }

    /// The target is an absolute URL, and the client refuses those
    /// (``HTTPClient/Configuration/allowsAbsoluteTargets``).
    public static let absoluteTarget = Self(.absoluteTarget)

    /// ``absoluteTarget`` of a URL, which is shown without credentials.
    public static func absoluteTarget(_ url: String) -> Self { Self(.absoluteTarget, .text(url)) }

    /// The request would use credentials of the client, which has neither a base URL nor
    /// ``HTTPClient/Configuration/credentialOrigins`` that may receive them.
    public static let credentialsWithoutOrigin = Self(.credentialsWithoutOrigin)

    /// Returns this kind with the secrets of a URL hidden.
    func redacted(by redaction: Redaction) -> Self {
        switch code {
        case .malformedURL, .missingBaseURL, .malformedBaseURL, .absoluteTarget:
            value.map { Self(code, .text(redaction.redactingParameters(in: $0))) } ?? self
        default: self
        }
    }
}

// MARK: Messages

extension HTTPError.InvalidRequest {
    /// The method is not a token (RFC 9110, section 9.1), or is CONNECT.
    public static let method = Self(.method)

    /// ``method`` of a name.
    public static func method(_ name: String) -> Self { Self(.method, .text(name)) }

    /// The name of a header field is not a token (RFC 9110, section 5.1).
    public static let headerName = Self(.headerName)

    /// ``headerName`` with its text.
    public static func headerName(_ name: String) -> Self { Self(.headerName, .text(name)) }

    /// The value of a header field has a line break or another control character (RFC 9110, section 5.5).
    public static let headerValue = Self(.headerValue)

    /// ``headerValue`` of the field of this name. The value may be a secret, and is not kept.
    public static func headerValue(of name: String) -> Self { Self(.headerValue, .text(name)) }

    /// A header field determines the body's framing, such as `Content-Length`. The transport sets those fields (RFC
    /// 9112, section 6).
    public static let framingHeader = Self(.framingHeader)

    /// ``framingHeader`` of a name.
    public static func framingHeader(_ name: String) -> Self { Self(.framingHeader, .text(name)) }

    /// The method does not allow a body (RFC 9110, section 9.3).
    public static let unexpectedBody = Self(.unexpectedBody)

    /// ``unexpectedBody`` of a method.
    public static func unexpectedBody(_ method: HTTPMethod) -> Self { Self(.unexpectedBody, .text(method.rawValue)) }
}

// MARK: Transports and clients

extension HTTPError.InvalidRequest {
    /// The transport does not support TLS on this system.
    public static let unsupportedTLS = Self(.unsupportedTLS)

    /// The request requires HTTP/2, which the transport does not support on this system.
    public static let unsupportedHTTP2 = Self(.unsupportedHTTP2)

    /// The transport does not support unix-domain sockets on this system.
    public static let unsupportedUnixSockets = Self(.unsupportedUnixSockets)

    /// One of the request's ``RequestOptions/Connection`` is invalid, such as the URL of the proxy.
    public static let connectionOption = Self(.connectionOption)

    /// ``connectionOption`` with an explanation, which the error's description contains.
    public static func connectionOption(_ explanation: String) -> Self { Self(.connectionOption, .text(explanation)) }

    /// The transport does not support one of the request's ``RequestOptions/Connection``.
    public static let unsupportedOption = Self(.unsupportedOption)

    /// ``unsupportedOption`` with an explanation, which the error's description contains.
    public static func unsupportedOption(_ explanation: String) -> Self { Self(.unsupportedOption, .text(explanation)) }

    /// The library that the transport uses is older than the oldest supported version.
    public static let outdatedLibrary = Self(.outdatedLibrary)

    /// ``outdatedLibrary`` of a name and a version.
    ///
    /// - Parameters:
    ///   - name: The name of the library.
    ///   - version: The version in use.
    ///   - minimum: The oldest supported version.
    public static func outdatedLibrary(name: String, version: String, minimum: String) -> Self {
        Self(.outdatedLibrary, .text("\(name) \(version) is too old, at least \(minimum) is required"))
    }

    /// The client was shut down by ``HTTPClient/shutdown(deadline:)``.
    public static let clientShutDown = Self(.clientShutDown)

    /// Another download to the same file is in progress, of this process or of another one.
    public static let downloadInProgress = Self(.downloadInProgress)

    /// ``downloadInProgress`` with the path of the partial file.
    public static func downloadInProgress(_ path: String) -> Self { Self(.downloadInProgress, .text(path)) }

    /// The request cannot open a WebSocket: it has another method than GET, a body, or a field that the handshake sets;
    /// or a subprotocol is no token (RFC 9110, section 5.6.2), or is offered twice.
    public static let webSocket = Self(.webSocket)

    /// ``webSocket`` with an explanation, which the error's description contains.
    public static func webSocket(_ explanation: String) -> Self { Self(.webSocket, .text(explanation)) }
}

extension HTTPError.InvalidRequest: CustomStringConvertible {
    /// A description of the kind, without secrets.
    public var description: String {
        switch code {
        case .malformedURL: "the URL is malformed"
        case .missingBaseURL: "the URL is relative, and the client has no base URL"
        case .malformedBaseURL: "the client's base URL\(quoted) is malformed"
        case .unsupportedScheme:
            "the scheme\(value.map { " \($0)" } ?? "") is not supported; a URL begins with http:// or https://"
        case .unsupportedInternationalName: "the name of the host\(quoted) requires libidn2, which the system lacks"
        case .absoluteTarget: "the client refuses absolute URLs"
        case .credentialsWithoutOrigin: "the client has credentials, but no base URL or credential origins"
        case .method: "the method\(quoted) is not allowed"
        case .headerName: "the header name\(quoted) is empty or has a character that is not allowed"
        case .headerValue: "the value of the header\(quoted) has a character that is not allowed"
        case .framingHeader: "the header\(quoted) cannot be set by a request, because the transport sets it"
        case .unexpectedBody: "a\(value.map { " \($0)" } ?? "") request cannot have a body"
        case .unsupportedTLS: "the transport does not support TLS"
        case .unsupportedHTTP2: "the transport does not support HTTP/2"
        case .unsupportedUnixSockets: "the transport does not support unix-domain sockets"
        case .connectionOption: "a connection option is invalid\(value.map { ": \($0)" } ?? "")"
        case .unsupportedOption: "the transport does not support a connection option\(value.map { ": \($0)" } ?? "")"
        case .outdatedLibrary: value ?? "the transport's library is too old"
        case .clientShutDown: "the client has been shut down"
        case .downloadInProgress: "another download writes the file\(quoted)"
        case .webSocket: "the request cannot open a WebSocket\(value.map { ": \($0)" } ?? "")"
        }
    }

    private var quoted: String { value.map { " \($0.debugDescription)" } ?? "" }
}
