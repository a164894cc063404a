#if canImport(CLibcurl)
import CLibcurl

/// The protocol that a server selects in the TLS handshake (ALPN, RFC 7301).
enum NegotiatedProtocol {
    /// The server has selected none, or HTTP/2 has not been offered.
    case none
    case http1
    case http2
}

/// An offer of HTTP/2 and HTTP/1.1 to the servers of connections that a handle only opens.
///
/// libcurl refers to the memory of an offer, which must outlive the handle.
final class ProtocolNegotiation {
    private let pointer: UnsafeMutablePointer<CurlNegotiation>

    /// - Parameter hasTLSProxy: Whether the connection to the proxy itself is encrypted, which has no part in the offer.
    init(hasTLSProxy: Bool) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: CurlNegotiation(has_tls_proxy: hasTLSProxy, selected: CurlSelectedNone))
    }

    deinit {
        pointer.deallocate()
    }

    /// The protocol that the server of the last handshake has selected.
    var selected: NegotiatedProtocol {
        switch pointer.pointee.selected {
        case CurlSelectedHTTP1: .http1
        case CurlSelectedHTTP2: .http2
        default: .none
        }
    }

    /// Makes an easy handle offer the protocols.
    func offer(by easy: OpaquePointer) throws(TransportFailure) {
        let code = streams_curl_offer_http2(easy, pointer)
        if code != 0 { throw TransportFailure(curl: code) }
    }

    /// Reads the selected protocol, inside a callback of libcurl's for the handle.
    func read(from easy: OpaquePointer) {
        streams_curl_read_negotiation(easy, pointer)
    }
}
#endif
