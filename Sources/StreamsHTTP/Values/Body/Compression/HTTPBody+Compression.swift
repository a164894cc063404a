import CStreams

extension HTTPBody {
    /// A compression of the bodies of requests, by the system's zlib: a content coding (RFC 9110, section 8.4.1) and a
    /// level.
    public struct Compression: Hashable, Sendable {
        /// The coding gzip, at zlib's default level.
        public static let gzip = Compression(.gzip)
        /// The coding deflate, which is the zlib format (RFC 1950), at zlib's default level. Prefer gzip: more servers
        /// accept it.
        public static let deflate = Compression(.deflate)

        private let coding: ZlibDecoder.Coding
        /// The level; `nil` is zlib's default.
        let level: Int?

        private init(_ coding: ZlibDecoder.Coding, level: Int? = nil) {
            self.coding = coding
            self.level = level.map { min(max($0, 1), 9) }
        }

        /// Returns the coding gzip at a level.
        ///
        /// - Parameter level: The level from 1, the fastest, to 9, the smallest result. Others count as the nearest.
        public static func gzip(level: Int) -> Compression { Compression(.gzip, level: level) }

        /// Returns the coding deflate at a level, as for ``gzip(level:)``.
        public static func deflate(level: Int) -> Compression { Compression(.deflate, level: level) }

        /// The name of the coding, as in `Content-Encoding`: `gzip` or `deflate`.
        public var name: String { coding.rawValue }
    }

    /// Returns this body compressed while it is sent, in constant memory and as fast as the connection takes it.
    ///
    /// ```swift
    /// let request = HTTPRequest(.put, "/logs/today").settingBody(.file("/var/log/syslog").compressed())
    /// ```
    ///
    /// The request gets a `Content-Encoding` and keeps its `Content-Type`. A body in memory of up to 64 KiB is
    /// compressed when the client makes the request, and is sent with its length. Every other has no known length: it
    /// is sent in chunks by HTTP/1.1 (RFC 9112, section 7.1), and its progress has no fraction. Progress counts
    /// compressed bytes. The body can be sent again if this one can; it is then compressed again.
    ///
    /// A body that is compressed already or empty is returned unchanged. Any other is compressed, whatever its media
    /// type is. ``RequestOptions/compression`` compresses only bodies that are likely to become smaller. If the
    /// request has a `Content-Encoding` of its own, it fails with ``Failure/alreadyEncoded``; if the system lacks zlib,
    /// with ``Failure/compressionUnavailable``, both thrown by ``HTTPError/Thrower/body``.
    ///
    /// It is compressed on a queue of its own. When the source has no bytes for now and the connection has taken those
    /// before, the rest is flushed, so that the server gets a slow stream as it comes. Short chunks then compress less.
    ///
    /// Interceptors receive the compressed body and its `Content-Encoding`, and set the field if they replace the body.
    /// A signature or a digest (RFC 9530) of the content is one of the compressed bytes.
    ///
    /// A part of a form is sent uncompressed, because it cannot have a coding (RFC 7578, section 4.8). Compress the
    /// body of the form.
    ///
    /// - Parameter compression: The coding and the level.
    public func compressed(_ compression: Compression = .gzip) -> HTTPBody {
        guard !isEmpty, self.compression == nil else { return self }
        return replacingContent(.compressed(content, compression, result: nil))
    }

    /// The content coding, sent as `Content-Encoding`; `nil` for a body that is not ``compressed(_:)``.
    public var contentEncoding: String? { compression?.name }

    private var compression: Compression? {
        if case .compressed(_, let compression, _) = content { compression } else { nil }
    }

    /// This body without its compression.
    var uncompressed: HTTPBody {
        guard case .compressed(let content, _, _) = content else { return self }
        return replacingContent(content)
    }

    /// Returns this body with its compressed content, if it is small and in memory, so that its length is known.
    ///
    /// - Throws: ``Failure/compressionUnavailable``.
    func compressedAtOnce() throws(Failure) -> HTTPBody {
        guard case .compressed(.data(let data), let compression, nil) = content, data.count <= Self.maxSizeAtOnce
        else { return self }
        return replacingContent(.compressed(.data(data), compression, result: try compression.compress(data)))
    }

    /// The maximum size of a body that is compressed on the caller's thread, which takes about two milliseconds.
    private static let maxSizeAtOnce = 64 * 1024
}

extension HTTPBody.Compression {
    /// Whether the system has zlib.
    static var isSupported: Bool { ZlibDecoder.zlib != nil }

    /// Begins a compression.
    ///
    /// - Throws: ``HTTPBody/Failure/compressionUnavailable``.
    func makeDeflater() throws(HTTPBody.Failure) -> ZlibDeflater {
        let format = coding == .gzip ? ZlibFormatGzip : ZlibFormatZlib
        let level = level ?? Int(ZlibLevel.rawValue)
        guard let deflater = ZlibDeflater(windowBits: Int(format.rawValue), level: level) else {
            throw .compressionUnavailable
        }
        return deflater
    }

    /// Returns bytes compressed.
    ///
    /// - Throws: ``HTTPBody/Failure/compressionUnavailable``.
    fileprivate func compress(_ data: Data) throws(HTTPBody.Failure) -> Data {
        let deflater = try makeDeflater()
        guard let compressed = data.withUnsafeBytes({ deflater.deflate($0, ZlibFinish) }) else {
            throw .compressionUnavailable
        }
        return compressed
    }
}
