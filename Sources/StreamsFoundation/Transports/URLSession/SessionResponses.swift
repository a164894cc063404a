import Foundation
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPResponse where Body == Void {
    /// Creates the head of a session's response. Returns nil if it is not an HTTP response.
    init?(_ response: URLResponse, of request: TransportRequest) {
        guard let response = response as? HTTPURLResponse else { return nil }
        var headers = HTTPHeaders()
        for (name, value) in response.allHeaderFields {
            guard let name = name as? String else { continue }
            let text = value as? String ?? "\(value)"
            let values = name.lowercased() == "set-cookie" ? text.separatedCookies : [text]
            for value in values { headers.add(name, value) }
        }
        // The session has decoded the body, so the length of the encoded body is no use.
        if request.method != .head, headers.contains("Content-Encoding") { headers.remove("Content-Length") }
        self.init(status: HTTPStatus(response.statusCode), headers: headers, body: (), url: request.url)
    }
}

extension String {
    /// The values of fields `Set-Cookie` that a session has joined with commas. No name follows the comma of a date.
    var separatedCookies: [String] {
        var values: [String] = []
        for part in split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.prefix { $0 != ";" }
            let name = pair.prefix { $0 != "=" }.drop { $0 == " " }
            let beginsCookie = name.endIndex < pair.endIndex && !name.isEmpty && !name.contains(" ")
            if let last = values.popLast() {
                values += beginsCookie ? [last, String(part.drop { $0 == " " })] : ["\(last),\(part)"]
            } else {
                values = [String(part)]
            }
        }
        return values
    }
}

extension TransportFailure {
    /// Creates a failure from a session's error.
    ///
    /// - Parameter hasHead: Whether the head of the response had arrived.
    init(session error: any Error, hasHead: Bool) {
        let code = (error as? URLError)?.code ?? .unknown
        self.init(
            Self.reason(code, hasHead: hasHead),
            underlying: HTTPError.Underlying(
                domain: "URLSession", code: code.rawValue, message: error.localizedDescription))
    }

    private static func reason(_ code: URLError.Code, hasHead: Bool) -> HTTPError.Reason {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: .connection(.hostNotResolved)
        case .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed:
            .connection(.refused)
        case .secureConnectionFailed, .clientCertificateRequired, .clientCertificateRejected:
            .connection(.tlsHandshake)
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
            .serverCertificateNotYetValid:
            .connection(.untrustedCertificate)
        case .timedOut: .timeout(hasHead ? .idle : .connect)
        case .networkConnectionLost: .transfer(.receiveFailed)
        case .badServerResponse: .transfer(hasHead ? .protocolError : .emptyReply)
        case .cannotParseResponse, .unsupportedURL: .transfer(.notHTTP)
        case .cannotDecodeContentData, .cannotDecodeRawData: .transfer(.undecodableContent)
        case .cancelled, .userCancelledAuthentication: .cancelled
        // A session has no code for a body that ended early.
        default: hasHead ? .transfer(.bodyEndedEarly) : .transfer(.other)
        }
    }
}
