import Testing

@testable import StreamsHTTP

/// What libcurl's codes become.
@Suite struct CurlFailureTests {
    /// Releases before 8.6 say that they are out of memory.
    @Test(arguments: [27, 100] as [CInt])
    func aLineThatIsTooLongIsAHeadThatIsTooLarge(code: CInt) {
        #expect(TransportFailure(curl: code, isInHead: true).reason.outline == "transfer.head-too-large")
        #expect(TransportFailure(curl: code, isConnected: true, isInHead: false).reason.outline == "transfer.other")
    }

    /// The code of a refused tunnel is 56 until 8.19 and 7 since, that of a proxy's reply that is not HTTP 8 in 8.23.
    @Test(arguments: [7, 8, 56] as [CInt])
    func aFailureBeforeThereIsAConnectionIsOneToConnect(code: CInt) {
        #expect(TransportFailure(curl: code, isConnected: false).reason.outline == "connection.refused")
    }

    @Test func aFailureToReceiveIsATransfers() {
        #expect(TransportFailure(curl: 56, isConnected: true).reason.outline == "transfer.receive-failed")
    }
}
