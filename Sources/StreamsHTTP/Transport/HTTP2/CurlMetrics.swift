#if canImport(CLibcurl)
import CLibcurl

extension ExchangeMetrics {
    /// Creates metrics of a handle's transfer. Takes a dozen calls of libcurl, so only if metrics are wanted.
    init(measuredBy easy: OpaquePointer) {
        self.init(total: Self.time(CurlInfoTotalTime, of: easy) ?? .zero)
        let remoteAddress = Self.address(of: easy)
        version =
            switch Self.number(CurlInfoHTTPVersion, of: easy) {
            case 1: .http10
            case 2: .http11
            case 3: .http2
            default: nil
            }
        // Newer versions report it for transfers that failed before they had a connection, too.
        let firstByte = version == nil ? nil : Self.time(CurlInfoFirstByteTime, of: easy)
        // A reused connection opens nothing. A transfer that never had a connection has no address.
        let isReused = Self.number(CurlInfoConnectionCount, of: easy) == 0
        isConnectionReused = remoteAddress == nil && firstByte == nil ? nil : isReused
        if !isReused {
            nameLookup = Self.time(CurlInfoNameLookupTime, of: easy)
            connect = Self.time(CurlInfoConnectTime, of: easy)
            tlsHandshake = Self.time(CurlInfoTLSTime, of: easy)
        }
        self.firstByte = firstByte
        self.remoteAddress = remoteAddress
        pretransfer = Self.time(CurlInfoPretransferTime, of: easy)
        requestSize = Int64(Self.number(CurlInfoRequestSize, of: easy))
        headerSize = Int64(Self.number(CurlInfoHeaderSize, of: easy))
        bytesSent = CurlTransport.Runtime.current.bytesSent(
            requestSize: requestSize, bodySize: Self.offset(CurlInfoBytesSent, of: easy))
        bytesReceived = headerSize + Self.offset(CurlInfoBytesReceived, of: easy)
    }

    /// Returns the event of the connection that a handle's transfer uses.
    static func connection(of easy: OpaquePointer) -> TransportEvent {
        .connected(isReused: number(CurlInfoConnectionCount, of: easy) == 0, remoteAddress: address(of: easy))
    }

    /// Returns the number of bytes that a handle's transfer has sent and received so far, as they are on the wire.
    static func byteCount(of easy: OpaquePointer) -> Int64 {
        offset(CurlInfoBytesSent, of: easy) + Int64(number(CurlInfoHeaderSize, of: easy))
            + offset(CurlInfoBytesReceived, of: easy)
    }

    /// Returns a time, or `nil` if libcurl reports zero because the step did not happen.
    private static func time(_ info: CurlInfo, of easy: OpaquePointer) -> Duration? {
        let microseconds = offset(info, of: easy)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// Returns a number of 64 bits, or zero if libcurl does not know it.
    static func offset(_ info: CurlInfo, of easy: OpaquePointer) -> Int64 {
        var value: Int64 = 0
        return streams_curl_get_offset(easy, info, &value) == 0 ? value : 0
    }

    /// Returns a number, or zero if libcurl does not know it.
    static func number(_ info: CurlInfo, of easy: OpaquePointer) -> Int {
        var value = 0
        return streams_curl_get_long(easy, info, &value) == 0 ? value : 0
    }

    private static func address(of easy: OpaquePointer) -> String? {
        var pointer: UnsafeMutableRawPointer?
        guard streams_curl_get_pointer(easy, CurlInfoRemoteAddress, &pointer) == 0, let pointer else { return nil }
        let address = String(cString: pointer.assumingMemoryBound(to: CChar.self))
        guard !address.isEmpty else { return nil }
        let port = number(CurlInfoRemotePort, of: easy)
        return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
#endif
