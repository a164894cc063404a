#if canImport(CLibcurl)
import CLibcurl

// The only mapping from libcurl's codes to errors of this library.

extension TransportFailure {
    /// Creates the failure of a transfer.
    ///
    /// - Parameters:
    ///   - code: libcurl's result.
    ///   - text: libcurl's description of the failure; may be empty.
    ///   - refusedAddress: The address that was refused, if none was allowed.
    ///   - isConnected: Whether the connection was established.
    ///   - isInHead: Whether the response's head had begun and was incomplete.
    ///   - isHTTP: Whether the response has begun with a valid status line.
    ///   - hasHead: Whether the response's head has been received.
    init(
        curl code: CInt, text: String = "", refusedAddress: IPAddress? = nil, isConnected: Bool = false,
        isInHead: Bool = false, isHTTP: Bool = false, hasHead: Bool = false
    ) {
        let message = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text.withoutProxy.printable
        let reason: HTTPError.Reason =
            if let refusedAddress {
                .connection(.addressNotAllowed(refusedAddress))
            } else if isInHead && message.hasPrefix(Self.largeHeads) || message.hasPrefix(Self.largeTrailer) {
                .transfer(.headTooLarge)
            } else {
                Self.reason(
                    CurlCode(rawValue: code), isConnected: isConnected, isInHead: isInHead, isHTTP: isHTTP,
                    hasHead: hasHead, isReset: message.tellsReset)
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

    /// libcurl's description of heads of more than 300 KiB in all. From 8.3 on, libcurl refuses them with a general
    /// code.
    private static let largeHeads = "Too large response headers"
    /// libcurl's description of a trailer of more than 4096 bytes.
    private static let largeTrailer = "Out of memory in chunked-encoding"

    /// Returns whether libcurl stopped sending the request's body because the server ended the HTTP/2 stream without an
    /// error, as it may after a complete response (RFC 9113, section 8.1). libcurl describes all other failures of
    /// streams.
    static func isEndOfStream(curl code: CInt, text: String) -> Bool {
        code == CurlCode.http2Stream.rawValue && text.isEmpty
    }

    /// The failure of an exchange whose response libcurl has discarded
    /// (``CurlTransport/Runtime/keepsEarlyResponses``). It is not transient: the server would not read the body again.
    static var responseLost: TransportFailure {
        TransportFailure(
            .transfer(.other),
            underlying: HTTPError.Underlying(
                domain: "libcurl", code: Int(CurlCode.http2Stream.rawValue),
                message: "the server responded before it had read the body, and libcurl discarded its response"))
    }

    /// Whether a name could not be resolved.
    var isLookupFailure: Bool {
        switch reason {
        case .connection(.hostNotResolved), .connection(.proxyNotResolved): true
        default: false
        }
    }

    /// The failure of a transfer that has waited for a descriptor until its timeout.
    static var resourceExhausted: TransportFailure { TransportFailure(system: EMFILE) }

    /// Creates a failure of the multi handle, which drives all transfers.
    init(curlMulti code: CInt) {
        self.init(
            .transfer(.other),
            underlying: HTTPError.Underlying(
                domain: "libcurl-multi", code: Int(code), message: String(cString: curl_multi_strerror(code))))
    }

    private static func reason(
        _ code: CurlCode?, isConnected: Bool, isInHead: Bool, isHTTP: Bool, hasHead: Bool, isReset: Bool
    ) -> HTTPError.Reason {
        switch code {
        // A resolver or a TLS library that cannot open a file or a socket does not say why.
        case .proxyNotResolved where DescriptorLimit.isReached, .hostNotResolved where DescriptorLimit.isReached,
            .badTrustFile where DescriptorLimit.isReached, .badClientCertificate where DescriptorLimit.isReached:
            .connection(.resourceExhausted)
        case .proxyNotResolved: .connection(.proxyNotResolved)
        case .hostNotResolved: .connection(.hostNotResolved)
        // A tunnel that a proxy refuses is a failure to receive until 8.19. From 8.6 on, a proxy's reply with too many
        // fields has a code of its own, and in 8.23 one that is not HTTP.
        case .cannotConnect, .proxyHandshake,
            .receiveFailed where !isConnected, .weirdReply where !isConnected,
            .tooLarge where !isConnected && !isInHead:
            .connection(.refused)
        case .malformedURL: .invalidRequest(.malformedURL)
        // An invalid field of a head or trailer.
        case .weirdReply where isHTTP: .transfer(.protocolError)
        // The scheme has been checked before, so the version of the response is unsupported.
        case .unsupportedProtocol, .weirdReply: .transfer(.notHTTP)
        case .tlsHandshake, .badClientCertificate: .connection(.tlsHandshake)
        case .untrustedCertificate: .connection(.untrustedCertificate)
        case .publicKeyNotPinned: .connection(.publicKeyNotPinned)
        case .badTrustFile: .connection(.trustRoots)
        case .timeout: .timeout(isConnected ? .idle : .connect)
        case .emptyReply: .transfer(.emptyReply)
        // libcurl takes a stream that ends before its head for a cut body.
        case .partialBody,
            .http2Stream where isReset:
            .transfer(hasHead ? .bodyEndedEarly : .receiveFailed)
        case .sendFailed, .rewindFailed: .transfer(.sendFailed)
        case .receiveFailed: .transfer(.receiveFailed)
        // libcurl fails at a line of more than 100 KB; from 8.6 on with a code of its own.
        case .outOfMemory where isInHead, .tooLarge where isInHead: .transfer(.headTooLarge)
        // The coding is a transfer coding, because libcurl decodes no content codings here.
        case .badContentEncoding: .transfer(.undecodableContent)
        case .http2, .http2Stream: .transfer(.protocolError)
        default: .transfer(.other)
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

extension String {
    /// The error codes by which a peer, or libcurl, complains of a violation (RFC 9113, section 7): PROTOCOL_ERROR,
    /// FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR and COMPRESSION_ERROR.
    private static let violationCodes = [1, 3, 5, 6, 9]

    /// Whether this is libcurl's description of an HTTP/2 stream that the peer has reset without complaining of a
    /// violation. An intermediary does so when its upstream fails.
    fileprivate var tellsReset: Bool {
        resetCode.map { !Self.violationCodes.contains($0) } ?? false
    }

    /// The error code of a reset: `HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)`, or with newer
    /// versions `HTTP/2 stream 1 reset by server (error 0x2 INTERNAL_ERROR)`.
    private var resetCode: Int? {
        for (mark, radix) in [("(err ", 10), ("(error 0x", 16)] {
            guard let start = firstRange(of: mark)?.upperBound else { continue }
            return Int(self[start...].prefix { $0.isHexDigit }, radix: radix)
        }
        return nil
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
    case http2 = 16
    case partialBody = 18
    case outOfMemory = 27
    case timeout = 28
    case tlsHandshake = 35
    case emptyReply = 52
    case sendFailed = 55
    case receiveFailed = 56
    case badClientCertificate = 58
    case untrustedCertificate = 60
    case badContentEncoding = 61
    case rewindFailed = 65
    case badTrustFile = 77
    case publicKeyNotPinned = 90
    case http2Stream = 92
    case proxyHandshake = 97
    case tooLarge = 100
}
#endif
