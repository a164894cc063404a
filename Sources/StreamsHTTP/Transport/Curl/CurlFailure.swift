import CLibcurl

// What libcurl's codes mean: the one place where they become errors of ours.

extension TransportFailure {
    /// A failure of a transfer.
    ///
    /// - Parameters:
    ///   - text: What libcurl says of this very failure; may be empty.
    ///   - isConnected: Whether a connection stood when it failed.
    ///   - isInHead: Whether a response's head had begun and not ended.
    ///   - isDecoding: Whether the content that was being received is encoded.
    init(
        curl code: CInt, text: String = "", isConnected: Bool = false, isInHead: Bool = false, isDecoding: Bool = false
    ) {
        let message = text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
        self.init(
            Self.reason(CurlCode(code), isConnected: isConnected, isInHead: isInHead, isDecoding: isDecoding),
            underlying: HTTPError.Underlying(domain: "libcurl", code: Int(code), message: message))
    }

    /// A failure of the loop that drives all transfers.
    init(curlMulti code: CInt) {
        self.init(
            .transport,
            underlying: HTTPError.Underlying(
                domain: "libcurl-multi", code: Int(code), message: String(cString: curl_multi_strerror(code))))
    }

    /// A refusal of the operating system.
    init(system code: CInt) {
        self.init(
            .transport,
            underlying: HTTPError.Underlying(
                domain: "errno", code: Int(code), message: String(cString: strerror(code))))
    }

    private static func reason(
        _ code: CurlCode, isConnected: Bool, isInHead: Bool, isDecoding: Bool
    ) -> HTTPError.Reason {
        switch code {
        case .proxyNotResolved: .connection(.proxyNotResolved)
        case .hostNotResolved: .connection(.hostNotResolved)
        case .cannotConnect, .proxyHandshake: .connection(.refused)
        case .malformedURL: .invalidRequest(.malformedURL(""))
        // The scheme has been checked before: what is not supported is the version of what was answered.
        case .unsupportedProtocol, .weirdReply: .transfer(.notHTTP)
        case .tlsHandshake, .badClientCertificate: .connection(.tlsHandshake)
        case .untrustedCertificate: .connection(.untrustedCertificate)
        case .badTrustFile: .connection(.trustRoots)
        case .timeout: .timeout(isConnected ? .idle : .connect)
        case .emptyReply: .transfer(.emptyReply)
        case .partialBody: .transfer(.bodyEndedEarly)
        case .sendFailed, .rewindFailed: .transfer(.sendFailed)
        case .receiveFailed: .transfer(.receiveFailed)
        // A line of more than 100 KB is more than it sets memory aside for; from 8.6 on that has a code of its own.
        case .outOfMemory where isInHead, .tooLarge where isInHead: .transfer(.headTooLarge)
        // What one read inflates to is more than is held back.
        case .outOfMemory where isDecoding, .tooLarge where isDecoding: .transfer(.undecodableContent)
        case .badContentEncoding: .transfer(.undecodableContent)
        case .http2, .http2Stream: .transfer(.protocolError)
        default: .transport
        }
    }
}

/// The codes of libcurl that are told apart.
private struct CurlCode: Equatable {
    let rawValue: CInt

    init(_ rawValue: CInt) { self.rawValue = rawValue }

    static let unsupportedProtocol = CurlCode(1)
    static let malformedURL = CurlCode(3)
    static let proxyNotResolved = CurlCode(5)
    static let hostNotResolved = CurlCode(6)
    static let cannotConnect = CurlCode(7)
    static let weirdReply = CurlCode(8)
    static let http2 = CurlCode(16)
    static let partialBody = CurlCode(18)
    static let outOfMemory = CurlCode(27)
    static let timeout = CurlCode(28)
    static let tlsHandshake = CurlCode(35)
    static let emptyReply = CurlCode(52)
    static let sendFailed = CurlCode(55)
    static let receiveFailed = CurlCode(56)
    static let badClientCertificate = CurlCode(58)
    static let untrustedCertificate = CurlCode(60)
    static let badContentEncoding = CurlCode(61)
    static let rewindFailed = CurlCode(65)
    static let badTrustFile = CurlCode(77)
    static let http2Stream = CurlCode(92)
    static let proxyHandshake = CurlCode(97)
    static let tooLarge = CurlCode(100)
}
