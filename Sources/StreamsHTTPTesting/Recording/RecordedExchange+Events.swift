import StreamsHTTP

extension RecordedExchange.Event {
    /// Creates the recording of an event; `nil` for the connection and the metrics, which differ each time.
    init?(_ event: TransportEvent, at time: Duration, redaction: Redaction) {
        let time = time.milliseconds
        switch event {
        case .sent(let count, let total):
            self.init(.sent, at: time)
            self.count = count
            self.total = total
        case .head(let head):
            self.init(.head, at: time)
            status = head.status.code
            version = "\(head.version.major).\(head.version.minor)"
            headers = redaction.redacting(head.headers).map { RecordedExchange.Field($0) }
        case .chunk(let chunk, let received):
            self.init(.chunk, at: time)
            body = RecordedExchange.Content(chunk)
            count = received
        case .trailers(let trailers):
            self.init(.trailers, at: time)
            headers = redaction.redacting(trailers).map { RecordedExchange.Field($0) }
        case .connected, .metrics:
            return nil
        case .finished:
            self.init(.finished, at: time)
        case .failed(let failure):
            self.init(.failed, at: time)
            (reason, detail) = failure.reason.redacted(by: redaction).recorded
            underlying = failure.underlying.map {
                RecordedExchange.Underlying(domain: $0.domain, code: $0.code, message: $0.message)
            }
        }
    }

    private var fields: HTTPHeaders {
        HTTPHeaders((headers ?? []).map { HTTPHeaders.Field($0) })
    }

    /// The reason of a failure; `nil` if its name is unknown.
    private var failureReason: HTTPError.Reason? {
        HTTPError.Reason(recorded: reason ?? "", detail: detail)
    }

    /// Whether this is a failure whose name is unknown.
    var isUnknownFailure: Bool {
        kind == .failed && failureReason == nil
    }

    /// Returns the step that replays the event.
    ///
    /// - Parameter url: The URL of the request that is answered.
    func step(url: URL) -> ExchangeStep {
        switch kind {
        case .sent:
            return .event(.sent(count ?? 0, of: total))
        case .head:
            let numbers = (version ?? "").split(separator: ".").map { Int($0) ?? 0 }
            let version = HTTPVersion(major: numbers.first ?? 1, minor: numbers.count > 1 ? numbers[1] : 0)
            let head = HTTPResponse(
                status: HTTPStatus(status ?? 0), headers: fields, body: (), url: url, version: version)
            return .event(.head(head))
        case .chunk:
            return .event(.chunk(body?.data ?? Data(), received: max(count ?? 0, 0)))
        case .trailers:
            return .event(.trailers(fields))
        case .finished:
            return .event(.finished)
        case .failed:
            let underlying = underlying.map {
                HTTPError.Underlying(domain: $0.domain, code: $0.code, message: $0.message)
            }
            // A session contains no other names.
            let reason = failureReason ?? .transfer(.other)
            return .event(.failed(TransportFailure(reason, underlying: underlying)))
        case .aborted:
            return .stall(until: nil)
        }
    }
}

extension RecordedExchange {
    /// Checks that the names of all failures are known.
    func checkFailures() throws(RecordingError) {
        guard let failure = events.first(where: \.isUnknownFailure) else { return }
        throw .failureName(failure.reason ?? "", exchange: number)
    }
}

extension RecordedExchange.Field {
    init(_ field: HTTPHeaders.Field) {
        let bytes = field.text.isLatin1 ? Data(field.bytes) : nil
        self.init(name: field.name, value: field.value, base64: bytes)
    }
}

extension HTTPHeaders.Field {
    fileprivate init(_ field: RecordedExchange.Field) {
        self.init(name: field.name, text: field.base64.map { FieldText(bytes: $0) } ?? FieldText(field.value))
    }
}

extension Duration {
    /// The duration in milliseconds, rounded to microseconds.
    var milliseconds: Double { (self / .microseconds(1)).rounded() / 1000 }
}

/// An error that was thrown when an exchange was recorded: of the body's source, for instance.
public struct RecordedError: Error, Hashable, CustomStringConvertible {
    /// The text of the original error.
    public let description: String
}

extension HTTPError.Reason {
    /// The recorded name and detail of the reason.
    fileprivate var recorded: (name: String, detail: String?) {
        switch self {
        case .invalidRequest(let invalid): (name, invalid.detail.description)
        case .connection(let connection): (name, connection.detail.description)
        case .transfer(let transfer): (name, transfer.detail.description)
        case .webSocket(let failure): (name, failure.detail.description)
        case .redirect(let redirect): (name, redirect.detail.description)
        case .authorization(let authorization): (name, authorization.error.map { "\($0)" })
        case .thrown(let error, _): (name, "\(error)")
        // No transport fails with a response: it delivers the response.
        case .status, .decoding: (HTTPError.Thrower.transport.name, description)
        case .timeout, .cancelled: (name, nil)
        }
    }

    /// Creates the reason of a name; `nil` if the name is unknown.
    fileprivate init?(recorded name: String, detail: String?) {
        if let code = HTTPError.InvalidRequest.Code(rawValue: name) {
            self = .invalidRequest(HTTPError.InvalidRequest(code, .text(in: detail)))
        } else if let code = HTTPError.Connection.Code(rawValue: name) {
            self = .connection(HTTPError.Connection(code, .address(in: detail)))
        } else if let code = HTTPError.Timeout.Code(rawValue: name) {
            self = .timeout(HTTPError.Timeout(code))
        } else if let code = HTTPError.Transfer.Code(rawValue: name) {
            self = .transfer(HTTPError.Transfer(code, .detail(of: code, in: detail)))
        } else if let code = HTTPError.WebSocketFailure.Code(rawValue: name) {
            let detail: FailureDetail = code == .messageTooLarge ? .number(in: detail) : .text(in: detail)
            self = .webSocket(HTTPError.WebSocketFailure(code, detail))
        } else if let code = HTTPError.Redirect.Code(rawValue: name) {
            self = .redirect(HTTPError.Redirect(code, code == .tooMany ? .number(in: detail) : .text(in: detail)))
        } else if let code = HTTPError.Authorization.Code(rawValue: name) {
            self = .authorization(HTTPError.Authorization(code, detail.map { RecordedError(description: $0) }))
        } else if let code = HTTPError.Thrower.Code(rawValue: name) {
            self = .thrown(RecordedError(description: detail ?? ""), by: HTTPError.Thrower(code))
        } else if name == Self.cancelled.name {
            self = .cancelled
        } else {
            return nil
        }
    }
}

extension FailureDetail {
    fileprivate static func text(in text: String?) -> FailureDetail {
        text.map { .text($0) } ?? .none
    }

    fileprivate static func number(in text: String?) -> FailureDetail {
        text.flatMap { Int($0) }.map { .number($0) } ?? .none
    }

    fileprivate static func detail(of code: HTTPError.Transfer.Code, in text: String?) -> FailureDetail {
        switch code {
        case .bodyTooLarge, .elementTooLarge: .number(in: text)
        case .protocolError: text.flatMap { ProtocolViolation(rawValue: $0) }.map { .violation($0) } ?? .none
        default: .text(in: text)
        }
    }

    fileprivate static func address(in text: String?) -> FailureDetail {
        text.flatMap { IPAddress($0) }.map { .address($0) } ?? .none
    }
}
