import CLibcurl

extension ExchangeMetrics {
    /// What libcurl has measured of a handle's transfer. Costs a dozen calls, so only where somebody asks.
    init(measuredBy easy: OpaquePointer) {
        self.init(total: Self.time(CurlInfoTotalTime, of: easy) ?? .zero)
        let remoteAddress = Self.address(of: easy)
        let firstByte = Self.time(CurlInfoFirstByteTime, of: easy)
        // Nothing is opened for a transfer that finds a connection; one that never had any has no address either.
        let isReused = Self.number(CurlInfoConnectionCount, of: easy) == 0
        isConnectionReused = remoteAddress == nil && firstByte == nil ? nil : isReused
        if !isReused {
            nameLookup = Self.time(CurlInfoNameLookupTime, of: easy)
            connect = Self.time(CurlInfoConnectTime, of: easy)
            tlsHandshake = Self.time(CurlInfoTLSTime, of: easy)
        }
        self.firstByte = firstByte
        self.remoteAddress = remoteAddress
        bytesSent = Int64(Self.number(CurlInfoRequestSize, of: easy)) + Self.offset(CurlInfoBytesSent, of: easy)
        bytesReceived = Int64(Self.number(CurlInfoHeaderSize, of: easy)) + Self.offset(CurlInfoBytesReceived, of: easy)
        version =
            switch Self.number(CurlInfoHTTPVersion, of: easy) {
            case 1: .http10
            case 2: .http11
            case 3: .http2
            default: nil
            }
    }

    /// A time in microseconds, which is zero for what did not happen.
    private static func time(_ info: CurlInfo, of easy: OpaquePointer) -> Duration? {
        let microseconds = offset(info, of: easy)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    private static func offset(_ info: CurlInfo, of easy: OpaquePointer) -> Int64 {
        var value: Int64 = 0
        return streams_curl_get_offset(easy, info, &value) == 0 ? value : 0
    }

    private static func number(_ info: CurlInfo, of easy: OpaquePointer) -> Int {
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
