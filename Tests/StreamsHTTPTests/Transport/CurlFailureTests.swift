import Testing

@testable import StreamsHTTP

/// What libcurl's codes become.
@Suite struct CurlFailureTests {
    /// Releases before 8.6 say that they are out of memory.
    @Test(arguments: [27, 100] as [CInt])
    func aLineThatIsTooLongIsAHeadThatIsTooLarge(code: CInt) {
        #expect(TransportFailure(curl: code, isInHead: true).reason.outline == "transfer(headTooLarge)")
        #expect(TransportFailure(curl: code, isInHead: false).reason.outline == "transport")
    }
}
