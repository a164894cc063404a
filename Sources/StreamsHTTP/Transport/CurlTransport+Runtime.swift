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
            /// HTTP/2 for https: libcurl uses OpenSSL, or a library with its interface.
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
            /// Requests for https that require HTTP/2 fail; others use HTTP/1.1.
            case http2
            /// Requests do not accept compressed bodies.
            case compression
            /// Requests through unix-domain sockets fail.
            case unixSockets
            /// The lookup of a name blocks all exchanges of its transport, and its timeout is late.
            case asynchronousLookups
        }

        /// The oldest version that is supported and tested.
        public static let minimumVersion = Version(number: 0x074A00)

        static let current = Runtime()

        /// The version of libcurl.
        public let version: Version
        /// The features that libcurl was built with, and those of other libraries.
        public let features: Set<Feature>
        /// The versions of libcurl and the libraries that it uses, as `curl_version` describes them.
        ///
        /// They are determined when they are asked for first, which takes a millisecond or more: the library for LDAP loads
        /// others then.
        public var description: String { Self.versions }

        private static let versions = String(cString: curl_version())

        init(version: Version, features: Set<Feature> = Set(Feature.allCases)) {
            self.version = version
            self.features = features
        }

        private init() {
            let info = curl_version_info(0)?.pointee
            let mask = UInt32(bitPattern: info?.features ?? 0)
            let features = Feature.set(in: mask).union(Feature.ofLibraries)
            self.init(version: Version(number: info?.number ?? 0), features: features)
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
            }
        }
    }
}

extension CurlTransport.Runtime.Feature {
    /// The features that libcurl was built with, each with its bit in the result of `curl_version_info`.
    static func set(in mask: UInt32) -> Set<Self> {
        let bits: [(Self, bit: UInt32)] = [
            (.tls, 1 << 2), (.unixSockets, 1 << 19), (.httpsProxies, 1 << 21), (.ipv6, 1 << 0),
            (.asynchronousLookups, 1 << 7),
        ]
        return Set(bits.filter { mask & $0.bit != 0 }.map(\.0))
    }

    /// The features that depend on other libraries than libcurl.
    static var ofLibraries: Set<Self> {
        let features: [(Self, isSupported: Bool)] = [
            (.gzip, ContentCoding.gzip.isSupported), (.brotli, ContentCoding.brotli.isSupported),
            (.zstd, ContentCoding.zstandard.isSupported), (.internationalNames, InternationalName.isSupported),
            (.http2, streams_curl_can_offer_http2()),
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
        if key.isSecure, key.connection.protocolPolicy == .http2, has(.http2) { return .unsupportedHTTP2 }
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

    /// Whether libcurl keeps the contents of a file of certificate authorities, as it does since 7.87, for a day by
    /// default.
    var cachesTrustRoots: Bool { version >= Version(number: 0x075700) }

    /// Whether programs that the process starts inherit libcurl's own descriptors. 8.8 made them close-on-exec.
    var letsDescriptorsBeInherited: Bool { version < Version(number: 0x080800) }
}
#endif
