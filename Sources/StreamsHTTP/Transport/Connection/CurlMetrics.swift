#if canImport(CLibcurl)
import CLibcurl

extension ExchangeMetrics {
    /// Creates the metrics of a connection that a handle has opened, or has failed to open. Takes several calls of libcurl,
    /// so only if metrics are wanted.
    init(measuredBy easy: OpaquePointer) {
        self.init(total: Self.time(CurlInfoTotalTime, of: easy) ?? .zero)
        nameLookup = Self.time(CurlInfoNameLookupTime, of: easy)
        connect = Self.time(CurlInfoConnectTime, of: easy)
        tlsHandshake = Self.time(CurlInfoTLSTime, of: easy)
        remoteAddress = Self.address(of: easy)
        isConnectionReused = remoteAddress == nil ? nil : false
    }

    /// Returns a time, or `nil` if libcurl reports zero because the step did not happen.
    private static func time(_ info: CurlInfo, of easy: OpaquePointer) -> Duration? {
        var microseconds: Int64 = 0
        guard streams_curl_get_offset(easy, info, &microseconds) == 0, microseconds > 0 else { return nil }
        return .microseconds(microseconds)
    }

    private static func address(of easy: OpaquePointer) -> String? {
        var pointer: UnsafeMutableRawPointer?
        guard streams_curl_get_pointer(easy, CurlInfoRemoteAddress, &pointer) == 0, let pointer else { return nil }
        let address = String(cString: pointer.assumingMemoryBound(to: CChar.self))
        guard !address.isEmpty else { return nil }
        var port = 0
        _ = streams_curl_get_long(easy, CurlInfoRemotePort, &port)
        return address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}
#endif
