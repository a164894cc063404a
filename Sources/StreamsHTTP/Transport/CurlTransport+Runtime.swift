#if canImport(CLibcurl)
import CLibcurl

extension CurlTransport {
    /// The version and features of the libcurl that the process runs with, and the differences that this package adapts
    /// to.
    ///
    /// The library is the system's and is found when the program starts, so it can differ from the one that the program
    /// was built with. ``CurlTransport/runtime`` is the one in use.
    public struct Runtime: Hashable, Sendable, CustomStringConvertible {
        /// A version of libcurl.
        public struct Version: Hashable, Comparable, Sendable, CustomStringConvertible {
            /// The version as libcurl encodes it: two hexadecimal digits for each part, `0x075801` for 7.88.1.
            public let number: UInt32

            /// Creates a version.
            ///
            /// - Parameter number: The version as libcurl encodes it.
            public init(number: UInt32) {
                self.number = number
            }

            /// The version in decimal notation, such as `7.88.1`.
            public var description: String { "\(number >> 16).\(number >> 8 & 0xFF).\(number & 0xFF)" }

            public static func < (left: Version, right: Version) -> Bool { left.number < right.number }
        }

        /// A feature that libcurl was or was not built with, or one whose library the system has or lacks.
        public enum Feature: String, Hashable, Sendable, CaseIterable {
            /// https.
            case tls
            /// HTTP/2.
            case http2
            /// Decoding of `gzip` and `deflate`.
            case gzip
            /// Decoding of `br`.
            case brotli
            /// Decoding of `zstd`.
            case zstd
            /// Connections to unix-domain sockets.
            case unixSockets
            /// Connections to proxies over TLS.
            case httpsProxies
            /// Host names with characters outside of ASCII, which libidn2 maps.
            case internationalNames
            /// IPv6.
            case ipv6
            /// Name lookups that do not block other exchanges.
            case asynchronousLookups
        }

        /// A feature that libcurl lacks. This package works without it, or fails requests that need it.
        public enum Limitation: String, Hashable, Sendable, CaseIterable {
            /// The version is older than ``CurlTransport/Runtime/minimumVersion``: every request fails.
            case version
            /// Requests for https fail.
            case tls
            /// Requests that require HTTP/2 fail; others use HTTP/1.1.
            case http2
            /// Requests do not accept compressed bodies.
            case compression
            /// Requests through unix-domain sockets fail.
            case unixSockets
            /// The lookup of a name blocks all exchanges of its transport, and its timeout is late.
            case asynchronousLookups
            /// ``ExchangeMetrics/bytesSent`` counts bodies without heads.
            case sentHeadSizes
            /// The data that a slow subscriber does not request is buffered without limit.
            case backpressure
            /// ``CurlTransport/Configuration/maxConnectionAge`` is ignored.
            case connectionAge
            /// An HTTP/2 connection has one request at a time.
            case multiplexing
        }

        /// The oldest version that is supported and tested.
        public static let minimumVersion = Version(number: 0x074A00)

        static let current = Runtime()

        /// The version of libcurl.
        public let version: Version
        /// The features that libcurl was built with, and those of other libraries.
        public let features: Set<Feature>
        /// The versions of libcurl and the libraries that it uses, as `curl_version` describes them.
        public let description: String
        /// Whether HTTP/2 can be offered on connections that libcurl only opens. That requires OpenSSL or a library with
        /// its interface, and no second copy of it that could be in use.
        let canOfferHTTP2: Bool

        init(
            version: Version, features: Set<Feature> = Set(Feature.allCases), description: String = "",
            canOfferHTTP2: Bool = true
        ) {
            self.version = version
            self.features = features
            self.description = description
            self.canOfferHTTP2 = canOfferHTTP2
        }

        private init() {
            let info = curl_version_info(0)?.pointee
            let mask = UInt32(bitPattern: info?.features ?? 0)
            let loaded: Set<Feature> = [.gzip, .brotli, .zstd, .internationalNames]
            let features = Feature.set(in: mask).subtracting(loaded).union(Feature.ofLibraries)
            self.init(
                version: Version(number: info?.number ?? 0), features: features,
                description: String(cString: curl_version()), canOfferHTTP2: streams_curl_can_offer_http2())
        }

        /// The limitations of this libcurl; none on most systems.
        public var limitations: [Limitation] { Limitation.allCases.filter(has) }

        private func has(_ limitation: Limitation) -> Bool {
            switch limitation {
            case .version: version < Self.minimumVersion
            case .tls: !features.contains(.tls)
            case .http2: !features.contains(.http2)
            case .compression: features.isDisjoint(with: [.gzip, .brotli, .zstd])
            case .unixSockets: !features.contains(.unixSockets)
            case .asynchronousLookups: !features.contains(.asynchronousLookups)
            case .sentHeadSizes: !countsSentHeads
            case .backpressure: !stopsReading
            case .connectionAge: !limitsConnectionAge
            case .multiplexing: !multiplexesOnlyHTTP2
            }
        }
    }
}

extension CurlTransport.Runtime.Feature {
    /// The feature's bit in the result of `curl_version_info`.
    private var bit: UInt32 {
        switch self {
        case .tls: 1 << 2
        case .http2: 1 << 16
        case .gzip: 1 << 3
        case .brotli: 1 << 23
        case .zstd: 1 << 26
        case .unixSockets: 1 << 19
        case .httpsProxies: 1 << 21
        case .internationalNames: 1 << 10
        case .ipv6: 1 << 0
        case .asynchronousLookups: 1 << 7
        }
    }

    static func set(in mask: UInt32) -> Set<Self> { Set(allCases.filter { mask & $0.bit != 0 }) }

    /// The features whose libraries the system has.
    static var ofLibraries: Set<Self> {
        let features: [(Self, isSupported: Bool)] = [
            (.gzip, ContentCoding.gzip.isSupported), (.brotli, ContentCoding.brotli.isSupported),
            (.zstd, ContentCoding.zstandard.isSupported), (.internationalNames, InternationalName.isSupported),
        ]
        return Set(features.filter(\.isSupported).map(\.0))
    }
}

// MARK: Unsupported requests

extension CurlTransport.Runtime {
    /// Throws an error if requests with this key need a feature that is missing.
    func check(_ key: HandleKey) throws(TransportFailure) {
        if let missing = missing(for: key) { throw TransportFailure(.invalidRequest(missing)) }
    }

    private func missing(for key: HandleKey) -> HTTPError.InvalidRequest? {
        if has(.version) {
            return .outdatedLibrary(name: "libcurl", version: "\(version)", minimum: "\(Self.minimumVersion)")
        }
        if key.isSecure, has(.tls) { return .unsupportedTLS }
        if key.connection.protocolPolicy == .http2, has(.http2) { return .unsupportedHTTP2 }
        if key.connection.unixSocketPath != nil, has(.unixSockets) { return .unsupportedUnixSockets }
        return nil
    }
}

// MARK: Differences between versions

extension CurlTransport.Runtime {
    /// Whether libcurl has a callback for established connections, as it does since 7.80. For older versions, the
    /// progress callback checks the connection's time.
    var announcesConnections: Bool { version >= Version(number: 0x075000) }

    /// Whether libcurl closes a connection that it has only opened as soon as its handle is removed, as it does since
    /// 7.75. Older versions keep it, and close it when it is read beside others.
    var closesOpenedConnections: Bool { version >= Version(number: 0x074B00) }

    /// Whether libcurl closes connections by their age, as it does since 7.80.
    var limitsConnectionAge: Bool { version >= Version(number: 0x075000) }

    /// Whether libcurl sends a request on a connection in use only if that is an HTTP/2 connection, as it does since
    /// 8.5. Older versions, once the host has an HTTP/2 connection, do so on its HTTP/1.1 connections too, and confuse
    /// the responses: such as the bytes of a body with the response to another request.
    var multiplexesOnlyHTTP2: Bool { version >= Version(number: 0x080500) }

    /// Whether the response is kept if an HTTP/2 stream ends before the request's body has been sent. Versions before 8.5
    /// can discard it: 7.88 and 8.0 do if the end of the stream arrives with the head, or with a part of the body.
    var keepsEarlyResponses: Bool { version >= Version(number: 0x080500) }

    /// Whether libcurl looks at a connection each time before it is used again. Since 8.22, it does so once a second.
    var checksEveryReuse: Bool { version < Version(number: 0x081600) }

    /// Whether libcurl keeps the contents of a file of certificate authorities, as it does since 7.87, for a day by
    /// default.
    var cachesTrustRoots: Bool { version >= Version(number: 0x075700) }

    /// Whether libcurl compares an HTTP proxy's credentials before it uses a tunnel for another request, as it does
    /// since 8.19.
    var comparesProxyCredentials: Bool { version >= Version(number: 0x081300) }

    /// Whether a transfer that is resumed and paused again at once continues to read, unless sending is paused as well.
    /// 8.9 to 8.14 do, and buffer the data that a slow subscriber does not request without limit.
    var readsAfterPausingAgain: Bool { version >= Version(number: 0x080900) && version < Version(number: 0x080F00) }

    /// Whether libcurl waits for the bytes of a paused transfer, too, and buffers them. 8.5 does.
    var watchesPausedTransfers: Bool { version >= Version(number: 0x080500) && version < Version(number: 0x080600) }

    /// Whether a paused transfer stops reading. In 8.8 it does not, even if sending is paused as well.
    private var stopsReading: Bool { version < Version(number: 0x080800) || version >= Version(number: 0x080900) }

    /// Whether bytes can stay unread that have left the socket, so that nothing reports them. Since 8.15, OpenSSL reads
    /// ahead, and libcurl stops reading an HTTP/2 connection for a transfer that ends or is paused.
    var leavesBytesUnread: Bool { version >= Version(number: 0x080F00) }

    /// Whether programs that the process starts inherit libcurl's own descriptors. 8.8 made them close-on-exec.
    var letsDescriptorsBeInherited: Bool { version < Version(number: 0x080800) }

    /// Whether libcurl describes the failure when an HTTP/2 connection closes, but not when the server refuses a
    /// stream. 8.1 to 8.6 treat both alike.
    var tellsRefusedStreams: Bool { version < Version(number: 0x080100) || version >= Version(number: 0x080700) }

    /// Whether libcurl counts the bytes of the request's head. 8.7 does not.
    var countsSentHeads: Bool { version < Version(number: 0x080700) || version >= Version(number: 0x080800) }

    /// The number of bytes sent, of both head and body.
    ///
    /// - Parameters:
    ///   - requestSize: The size of the request: of its head until 8.6, of its head and body since 8.8.
    ///   - bodySize: The size of the body.
    func bytesSent(requestSize: Int64, bodySize: Int64) -> Int64 {
        version < Version(number: 0x080800) ? requestSize + bodySize : requestSize
    }
}
#endif
