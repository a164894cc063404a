import Testing

@testable import StreamsHTTP

/// The timeout that `Keep-Alive` announces.
@Suite struct KeepAliveTests {
    @Test(
        arguments: [
            ("timeout=5", 5), ("timeout=5, max=100", 5), ("max=100,timeout=5", 5), (" ,, Timeout =\t05 ,", 5),
            ("timeout=0", 0), ("timeout=5, timeout=6", 5), ("timeout", nil), ("timeout=", nil), ("timeout=x", nil),
            ("timeout=+5", nil), ("timeout=5s", nil), ("timeout=99999999999999999999", nil), ("max=5", nil),
            ("xtimeout=5", nil), ("", nil), (",", nil),
        ] as [(String, Int?)])
    func readsTimeout(field: String, seconds: Int?) {
        let headers: HTTPHeaders = ["Connection": "keep-alive", "keep-alive": field]
        #expect(headers.keepAliveTimeout == seconds.map { .seconds($0) })
    }

    @Test func isAbsentWithoutField() {
        #expect(HTTPHeaders().keepAliveTimeout == nil)
    }
}
