import Testing

@testable import StreamsHTTP

/// The errors that libcurl's failures to open a connection become.
@Suite struct CurlFailureTests {
    /// The code of a refused tunnel is 56 until 8.19 and 7 since. That of a proxy's reply with too many fields is 100
    /// from 8.6 on, and that of one that is not HTTP is 8 in 8.23.
    @Test(arguments: [7, 8, 56, 97, 100] as [CInt])
    func refusesConnection(code: CInt) {
        let failure = TransportFailure(curl: code, text: "text")
        #expect(failure.reason.outline == "connection.refused")
        #expect(failure.underlying?.code == Int(code) && failure.underlying?.message == "text")
    }

    @Test(
        arguments: [
            (28, "timeout.connect"), (35, "connection.tls-handshake"), (60, "connection.untrusted-certificate"),
            (90, "connection.public-key-not-pinned"), (55, "transfer.send-failed"), (4711, "transfer.other"),
        ] as [(CInt, String)])
    func tellsReason(code: CInt, reason: String) {
        #expect(TransportFailure(curl: code).reason.outline == reason)
    }

    /// libcurl says only that no connection could be opened.
    @Test func tellsRefusedAddress() throws {
        let address = try #require(IPAddress("10.0.0.1"))
        let failure = TransportFailure(curl: 7, refusedAddress: address)
        #expect(failure.reason.outline == TransportFailure(.connection(.addressNotAllowed(address))).reason.outline)
    }
}
