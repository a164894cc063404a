import StreamsHTTP

/// The exit status of the tool, with the numbers of curl, so that scripts written for curl keep working.
struct ExitStatus: RawRepresentable, Hashable {
    let rawValue: Int32

    static let success = ExitStatus(rawValue: 0)
    /// A scheme, a version or a protocol that is not supported.
    static let unsupportedProtocol = ExitStatus(rawValue: 1)
    static let usage = ExitStatus(rawValue: 2)
    static let malformedURL = ExitStatus(rawValue: 3)
    static let notBuiltIn = ExitStatus(rawValue: 4)
    static let proxyNotResolved = ExitStatus(rawValue: 5)
    static let hostNotResolved = ExitStatus(rawValue: 6)
    static let notConnected = ExitStatus(rawValue: 7)
    static let malformedReply = ExitStatus(rawValue: 8)
    static let http2ConnectionFailed = ExitStatus(rawValue: 16)
    static let bodyEndedEarly = ExitStatus(rawValue: 18)
    static let errorResponse = ExitStatus(rawValue: 22)
    static let writeFailed = ExitStatus(rawValue: 23)
    static let readFailed = ExitStatus(rawValue: 26)
    static let outOfResources = ExitStatus(rawValue: 27)
    static let timeout = ExitStatus(rawValue: 28)
    static let rangeFailed = ExitStatus(rawValue: 33)
    static let tlsHandshake = ExitStatus(rawValue: 35)
    static let abortedByCallback = ExitStatus(rawValue: 42)
    static let tooManyRedirects = ExitStatus(rawValue: 47)
    static let emptyReply = ExitStatus(rawValue: 52)
    static let sendFailed = ExitStatus(rawValue: 55)
    static let receiveFailed = ExitStatus(rawValue: 56)
    static let clientCertificate = ExitStatus(rawValue: 58)
    static let untrustedCertificate = ExitStatus(rawValue: 60)
    static let undecodableContent = ExitStatus(rawValue: 61)
    static let bodyTooLarge = ExitStatus(rawValue: 63)
    static let bodyNotReplayable = ExitStatus(rawValue: 65)
    static let loginDenied = ExitStatus(rawValue: 67)
    /// The tour failed; `EX_SOFTWARE` of `sysexits.h`.
    static let tourFailed = ExitStatus(rawValue: 70)
    /// A WebSocket was closed with another code than 1000 and 1001.
    static let closedUnexpectedly = ExitStatus(rawValue: 71)
    static let trustRoots = ExitStatus(rawValue: 77)
    static let publicKeyNotPinned = ExitStatus(rawValue: 90)
    static let http2StreamFailed = ExitStatus(rawValue: 92)
    static let proxyHandshake = ExitStatus(rawValue: 97)

    /// Returns the status of a program that a signal ended, by the convention of shells.
    static func interrupted(by signal: CInt) -> ExitStatus {
        ExitStatus(rawValue: 128 + signal)
    }
}

extension ExitStatus {
    init(_ error: HTTPError) {
        switch error.reason {
        case .invalidRequest(let invalid): self.init(invalid)
        case .connection(let connection): self.init(connection, underlying: error.underlying)
        case .timeout: self = .timeout
        case .transfer(let transfer): self.init(transfer, underlying: error.underlying)
        case .webSocket(.closed): self = .closedUnexpectedly
        case .webSocket(.messageTooLarge): self = .bodyTooLarge
        case .webSocket: self = .receiveFailed
        case .redirect(let redirect): self.init(redirect)
        case .status: self = .errorResponse
        case .decoding: self = .undecodableContent
        case .authorization: self = .loginDenied
        case .thrown(_, let thrower): self.init(thrower)
        case .cancelled: self = .interrupted(by: SIGINT)
        }
    }

    private init(_ invalid: HTTPError.InvalidRequest) {
        switch invalid {
        case .malformedURL, .missingBaseURL, .malformedBaseURL: self = .malformedURL
        case .unsupportedScheme: self = .unsupportedProtocol
        case .unsupportedTLS, .unsupportedHTTP2, .unsupportedUnixSockets, .unsupportedInternationalName,
            .unsupportedOption, .outdatedLibrary:
            self = .notBuiltIn
        case .clientShutDown: self = .outOfResources
        case .downloadInProgress: self = .writeFailed
        default: self = .usage
        }
    }

    private init(_ connection: HTTPError.Connection, underlying: HTTPError.Underlying?) {
        switch connection {
        case .proxyNotResolved: self = .proxyNotResolved
        case .hostNotResolved: self = .hostNotResolved
        // curl has statuses of their own for a client certificate that cannot be used, and for a SOCKS proxy. That of a
        // tunnel that a proxy refuses is 56 until 8.19, and 7 since.
        case .tlsHandshake:
            self = Self(curl: underlying) == .clientCertificate ? .clientCertificate : .tlsHandshake
        case .untrustedCertificate: self = .untrustedCertificate
        case .publicKeyNotPinned: self = .publicKeyNotPinned
        case .trustRoots: self = .trustRoots
        case .resourceExhausted: self = .outOfResources
        default: self = Self(curl: underlying) == .proxyHandshake ? .proxyHandshake : .notConnected
        }
    }

    private init(_ transfer: HTTPError.Transfer, underlying: HTTPError.Underlying?) {
        switch transfer {
        case .sendFailed: self = .sendFailed
        case .headTooLarge: self = .receiveFailed
        case .emptyReply, .reusedConnectionLost: self = .emptyReply
        case .requestRefused: self = .http2StreamFailed
        case .notHTTP: self = .unsupportedProtocol
        // curl distinguishes a stream of HTTP/2 that is reset from a connection that breaks.
        case .receiveFailed: self = Self(curl: underlying) ?? .receiveFailed
        case .bodyEndedEarly: self = Self(curl: underlying) ?? .bodyEndedEarly
        case .bodyTooLarge, .elementTooLarge: self = .bodyTooLarge
        case .unexpectedContentType: self = .errorResponse
        case .undecodableContent, .checksumMismatch: self = .undecodableContent
        case .unexpectedRange: self = .rangeFailed
        case .protocolError: self.init(transfer.violation, underlying: underlying)
        default: self = Self(curl: underlying) ?? .outOfResources
        }
    }

    private init(_ violation: ProtocolViolation?, underlying: HTTPError.Underlying?) {
        switch violation {
        case .version, .status: self = .unsupportedProtocol
        case .field, .length, .transferCoding: self = .malformedReply
        case .chunk: self = .receiveFailed
        // curl distinguishes the connection of HTTP/2 from the stream.
        case .frame, .flood, nil: self = Self(curl: underlying) ?? .malformedReply
        }
    }

    private init(_ redirect: HTTPError.Redirect) {
        switch redirect {
        case .tooMany: self = .tooManyRedirects
        case .unfollowable: self = .malformedURL
        case .unsupportedScheme, .insecure: self = .unsupportedProtocol
        case .bodyNotReplayable: self = .bodyNotReplayable
        case .leavesOrigin: self = .loginDenied
        default: self = .abortedByCallback
        }
    }

    private init(_ thrower: HTTPError.Thrower) {
        switch thrower {
        case .encoder, .body: self = .readFailed
        case .transport: self = .outOfResources
        case .file: self = .writeFailed
        default: self = .abortedByCallback
        }
    }

    /// Creates the status of curl for an error below the client: a code of libcurl, which is the status, or one of HTTP/2.
    private init?(curl underlying: HTTPError.Underlying?) {
        switch underlying?.domain {
        case "libcurl":
            guard let code = underlying.flatMap({ Int32(exactly: $0.code) }), code > 0 else { return nil }
            self.init(rawValue: code)
        case "HTTP/2": self = .http2ConnectionFailed
        case "HTTP/2 stream": self = .http2StreamFailed
        default: return nil
        }
    }
}
