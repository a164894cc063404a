// From events to what is kept of them, and back.

extension RecordedExchange.Event {
    /// - Returns: `nil` for metrics, which are another time's.
    init?(_ event: TransportEvent, at time: Duration, redaction: Redaction) {
        let milliseconds = (time / .microseconds(1)).rounded() / 1000
        switch event {
        case .sent(let count, let total):
            self.init(.sent, at: milliseconds)
            self.count = count
            self.total = total
        case .head(let head):
            self.init(.head, at: milliseconds)
            status = head.status.code
            version = "\(head.version.major).\(head.version.minor)"
            headers = redaction.redacting(head.headers).map { RecordedExchange.Field($0) }
        case .chunk(let chunk, let received):
            self.init(.chunk, at: milliseconds)
            body = RecordedExchange.Content(chunk)
            count = received
        case .metrics:
            return nil
        case .finished:
            self.init(.finished, at: milliseconds)
        case .failed(let failure):
            self.init(.failed, at: milliseconds)
            reason = failure.reason.recordedName
            underlying = failure.underlying.map {
                RecordedExchange.Underlying(domain: $0.domain, code: $0.code, message: $0.message)
            }
        }
    }

    /// What playing it does.
    ///
    /// - Parameter url: Where the request goes that is answered with it.
    func step(url: URL) -> ExchangeStep {
        switch kind {
        case .sent:
            return .event(.sent(count ?? 0, of: total))
        case .head:
            let numbers = (version ?? "").split(separator: ".").map { Int($0) ?? 0 }
            let version = HTTPVersion(major: numbers.first ?? 1, minor: numbers.count > 1 ? numbers[1] : 0)
            let headers = HTTPHeaders((headers ?? []).map { HTTPHeaders.Field(name: $0.name, value: $0.value) })
            let head = HTTPResponse(
                status: HTTPStatus(status ?? 0), headers: headers, body: (), url: url, version: version)
            return .event(.head(head))
        case .chunk:
            return .event(.chunk(body?.data ?? Data(), received: max(count ?? 0, 0)))
        case .finished:
            return .event(.finished)
        case .failed:
            let underlying = underlying.map {
                HTTPError.Underlying(domain: $0.domain, code: $0.code, message: $0.message)
            }
            let reason = HTTPError.Reason(recordedName: reason ?? "")
            return .event(.failed(TransportFailure(reason, underlying: underlying)))
        case .aborted:
            return .silence
        }
    }
}

extension RecordedExchange.Field {
    init(_ field: HTTPHeaders.Field) {
        self.init(name: field.name, value: field.value)
    }
}

/// The error of a body that could not be read when it was recorded.
public struct RecordedBodyError: Error, CustomStringConvertible {
    /// What the error said then.
    public let description: String
}

extension HTTPError.Reason {
    /// The reasons that a transport has, by the names that recordings have for them.
    private static let named: [(name: String, reason: HTTPError.Reason)] = [
        ("connection.proxyNotResolved", .connection(.proxyNotResolved)),
        ("connection.hostNotResolved", .connection(.hostNotResolved)),
        ("connection.refused", .connection(.refused)),
        ("connection.tlsHandshake", .connection(.tlsHandshake)),
        ("connection.untrustedCertificate", .connection(.untrustedCertificate)),
        ("connection.trustRoots", .connection(.trustRoots)),
        ("timeout.connect", .timeout(.connect)),
        ("timeout.idle", .timeout(.idle)),
        ("timeout.total", .timeout(.total)),
        ("transfer.sendFailed", .transfer(.sendFailed)),
        ("transfer.receiveFailed", .transfer(.receiveFailed)),
        ("transfer.emptyReply", .transfer(.emptyReply)),
        ("transfer.notHTTP", .transfer(.notHTTP)),
        ("transfer.bodyEndedEarly", .transfer(.bodyEndedEarly)),
        ("transfer.headTooLarge", .transfer(.headTooLarge)),
        ("transfer.undecodableContent", .transfer(.undecodableContent)),
        ("transfer.protocolError", .transfer(.protocolError)),
        ("cancelled", .cancelled),
    ]

    /// The name of a reason that a transport has; others are `transport`.
    fileprivate var recordedName: String {
        switch self {
        case .connection(let connection): "connection.\(connection)"
        case .timeout(let timeout): "timeout.\(timeout)"
        case .transfer(let transfer): "transfer.\(transfer)"
        case .body(let error): "body: \(error)"
        case .cancelled: "cancelled"
        case .invalidRequest, .encoding, .redirect, .bodyTooLarge, .status, .decoding, .authorization, .interceptor,
            .unanswered, .shutDown, .transport:
            "transport"
        }
    }

    fileprivate init(recordedName name: String) {
        if let known = Self.named.first(where: { $0.name == name }) {
            self = known.reason
        } else if name.hasPrefix("body: ") {
            self = .body(RecordedBodyError(description: String(name.dropFirst("body: ".count))))
        } else {
            self = .transport
        }
    }
}
