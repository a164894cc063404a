#if canImport(CLibcurl)
import CLibcurl

// The only mapping from libcurl's codes to errors of this library.

extension TransportFailure {
    /// Creates the failure to open a connection.
    ///
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - text: libcurl's description of the failure; may be empty.
    ///   - refusedAddress: The address that was refused, if none was allowed.
    init(curl code: CInt, text: String = "", refusedAddress: IPAddress? = nil) {
        let message = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text.withoutProxy.printable
        let reason: HTTPError.Reason =
            if let refusedAddress {
                .connection(.addressNotAllowed(refusedAddress))
            } else {
                Self.reason(CurlCode(rawValue: code))
            }
        self.init(
            reason, underlying: HTTPError.Underlying(domain: "libcurl", code: Int(code), message: message))
    }

    /// Creates the failure to send or receive bytes on a connection that libcurl has opened.
    init(curl code: CInt, _ text: String, _ reason: HTTPError.Transfer) {
        let message = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text.printable
        self.init(
            .transfer(reason), underlying: HTTPError.Underlying(domain: "libcurl", code: Int(code), message: message))
    }

    /// Whether a name could not be resolved.
    var isLookupFailure: Bool {
        switch reason {
        case .connection(.hostNotResolved), .connection(.proxyNotResolved): true
        default: false
        }
    }

    /// The failure of an exchange that has waited for a descriptor until its timeout.
    static var resourceExhausted: TransportFailure { TransportFailure(system: EMFILE) }

    /// Creates a failure of a multi handle.
    init(curlMulti code: CInt) {
        self.init(
            .transfer(.other),
            underlying: HTTPError.Underlying(
                domain: "libcurl-multi", code: Int(code), message: String(cString: curl_multi_strerror(code))))
    }

    private static func reason(_ code: CurlCode?) -> HTTPError.Reason {
        switch code {
        // A resolver or a TLS library that cannot open a file or a socket does not say why.
        case .proxyNotResolved where DescriptorLimit.isReached, .hostNotResolved where DescriptorLimit.isReached,
            .badTrustFile where DescriptorLimit.isReached, .badClientCertificate where DescriptorLimit.isReached:
            .connection(.resourceExhausted)
        case .proxyNotResolved: .connection(.proxyNotResolved)
        case .hostNotResolved: .connection(.hostNotResolved)
        // A tunnel that a proxy refuses is a failure to receive until 8.19. From 8.6 on, a proxy's reply with too many
        // fields has a code of its own, and in 8.23 one that is not HTTP.
        case .cannotConnect, .proxyHandshake, .receiveFailed, .weirdReply, .tooLarge: .connection(.refused)
        case .malformedURL: .invalidRequest(.malformedURL)
        // The scheme has been checked before, so the version of the proxy's reply is unsupported.
        case .unsupportedProtocol: .transfer(.notHTTP)
        case .tlsHandshake, .badClientCertificate: .connection(.tlsHandshake)
        case .untrustedCertificate: .connection(.untrustedCertificate)
        case .publicKeyNotPinned: .connection(.publicKeyNotPinned)
        case .badTrustFile: .connection(.trustRoots)
        case .timeout: .timeout(.connect)
        case .sendFailed: .transfer(.sendFailed)
        case nil: .transfer(.other)
        }
    }
}

extension String {
    /// This text of libcurl's without the URL of a proxy that cannot be used: it stands in quotes, with its
    /// credentials, and may be cut, since a text has 255 bytes at most.
    fileprivate var withoutProxy: String {
        guard let start = firstIndex(of: "'"), self[..<start].lowercased().contains("proxy") else { return self }
        let end = utf8.count < 255 ? lastIndex(of: "'") : nil
        let rest = end.map { $0 > start ? self[$0...] : "" } ?? ""
        return self[...start] + Redaction.mark + rest
    }
}

/// libcurl's codes that have a reason of their own.
private enum CurlCode: CInt {
    case unsupportedProtocol = 1
    case malformedURL = 3
    case proxyNotResolved = 5
    case hostNotResolved = 6
    case cannotConnect = 7
    case weirdReply = 8
    case timeout = 28
    case tlsHandshake = 35
    case sendFailed = 55
    case receiveFailed = 56
    case badClientCertificate = 58
    case untrustedCertificate = 60
    case badTrustFile = 77
    case publicKeyNotPinned = 90
    case proxyHandshake = 97
    case tooLarge = 100
}
#endif
