import StreamsHTTP

/// How the tool ends: curl's exit statuses, so that scripts can go on using them.
struct ExitStatus: RawRepresentable, Hashable {
    let rawValue: Int32

    static let success = ExitStatus(rawValue: 0)
    static let unsupportedScheme = ExitStatus(rawValue: 1)
    static let usage = ExitStatus(rawValue: 2)
    static let malformedURL = ExitStatus(rawValue: 3)
    static let proxyNotResolved = ExitStatus(rawValue: 5)
    static let hostNotResolved = ExitStatus(rawValue: 6)
    static let notConnected = ExitStatus(rawValue: 7)
    static let notHTTP = ExitStatus(rawValue: 8)
    static let bodyEndedEarly = ExitStatus(rawValue: 18)
    static let errorResponse = ExitStatus(rawValue: 22)
    static let writeFailed = ExitStatus(rawValue: 23)
    static let readFailed = ExitStatus(rawValue: 26)
    static let outOfResources = ExitStatus(rawValue: 27)
    static let timeout = ExitStatus(rawValue: 28)
    static let tlsHandshake = ExitStatus(rawValue: 35)
    static let abortedByCallback = ExitStatus(rawValue: 42)
    static let tooManyRedirects = ExitStatus(rawValue: 47)
    static let emptyReply = ExitStatus(rawValue: 52)
    static let sendFailed = ExitStatus(rawValue: 55)
    static let receiveFailed = ExitStatus(rawValue: 56)
    static let untrustedCertificate = ExitStatus(rawValue: 60)
    static let undecodableContent = ExitStatus(rawValue: 61)
    static let bodyTooLarge = ExitStatus(rawValue: 63)
    static let bodyNotReplayable = ExitStatus(rawValue: 65)
    static let loginDenied = ExitStatus(rawValue: 67)
    /// The tour did not go as it should; `EX_SOFTWARE` of `sysexits.h`.
    static let tourFailed = ExitStatus(rawValue: 70)
    static let trustRoots = ExitStatus(rawValue: 77)

    /// The shell's convention for a program that a signal ended.
    static func interrupted(by signal: CInt) -> ExitStatus {
        ExitStatus(rawValue: 128 + signal)
    }
}

extension ExitStatus {
    init(_ error: HTTPError) {
        switch error.reason {
        case .invalidRequest(let invalid): self.init(invalid)
        case .encoding, .body: self = .readFailed
        case .connection(let connection): self.init(connection)
        case .timeout: self = .timeout
        case .transfer(let transfer): self.init(transfer, underlying: error.underlying)
        case .redirect(let redirect): self.init(redirect)
        case .bodyTooLarge: self = .bodyTooLarge
        case .status: self = .errorResponse
        case .decoding: self = .undecodableContent
        case .authorization: self = .loginDenied
        case .interceptor: self = .abortedByCallback
        case .cancelled: self = .interrupted(by: SIGINT)
        case .unanswered: self = .notConnected
        case .shutDown: self = .outOfResources
        case .transport: self = Self(curl: error.underlying) ?? .outOfResources
        }
    }

    private init(_ invalid: HTTPError.InvalidRequest) {
        switch invalid {
        case .malformedURL: self = .malformedURL
        case .unsupportedScheme: self = .unsupportedScheme
        case .method, .header, .unexpectedBody: self = .usage
        }
    }

    private init(_ connection: HTTPError.Connection) {
        switch connection {
        case .proxyNotResolved: self = .proxyNotResolved
        case .hostNotResolved: self = .hostNotResolved
        case .refused: self = .notConnected
        case .tlsHandshake: self = .tlsHandshake
        case .untrustedCertificate: self = .untrustedCertificate
        case .trustRoots: self = .trustRoots
        }
    }

    private init(_ transfer: HTTPError.Transfer, underlying: HTTPError.Underlying?) {
        switch transfer {
        case .sendFailed: self = .sendFailed
        case .receiveFailed, .headTooLarge: self = .receiveFailed
        case .emptyReply: self = .emptyReply
        case .notHTTP: self = .notHTTP
        case .bodyEndedEarly: self = .bodyEndedEarly
        case .undecodableContent: self = .undecodableContent
        // Of HTTP/2, curl tells the broken connection from the broken stream.
        case .protocolError: self = Self(curl: underlying) ?? .receiveFailed
        }
    }

    private init(_ redirect: HTTPError.Redirect) {
        switch redirect {
        case .tooMany: self = .tooManyRedirects
        case .unfollowable: self = .malformedURL
        case .unsupportedScheme, .insecure: self = .unsupportedScheme
        case .bodyNotReplayable: self = .bodyNotReplayable
        }
    }

    /// What curl itself exits with for a code of its library: the code.
    private init?(curl underlying: HTTPError.Underlying?) {
        guard let underlying, underlying.domain == "libcurl", let code = Int32(exactly: underlying.code), code > 0
        else {
            return nil
        }
        self.init(rawValue: code)
    }
}
