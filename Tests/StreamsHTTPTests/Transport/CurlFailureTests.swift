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

    /// Before the head of the response has come, nothing tells that there was a body.
    @Test(arguments: [(true, "transfer.body-ended-early"), (false, "transfer.receive-failed")])
    func resetStreamIsABrokenTransfer(hasHead: Bool, reason: String) {
        for (name, number) in [("INTERNAL_ERROR", 2), ("CANCEL", 8), ("CONNECT_ERROR", 10)] {
            let texts = [
                "was not closed cleanly: \(name) (err \(number))",
                "reset by server (error 0x\(String(number, radix: 16)) \(name))",
            ]
            for text in texts.map({ "HTTP/2 stream 1 \($0)" }) {
                let failure = TransportFailure(curl: 92, text: text, isConnected: true, hasHead: hasHead)
                #expect(failure.reason.outline == reason && failure.underlying?.code == 92)
            }
        }
        let closed = TransportFailure(curl: 18, isConnected: true, hasHead: hasHead)
        #expect(closed.reason.outline == reason)
    }

    @Test(arguments: [
        "was not closed cleanly: PROTOCOL_ERROR (err 1)", "was not closed cleanly: FLOW_CONTROL_ERROR (err 3)",
        "was not closed cleanly: FRAME_SIZE_ERROR (err 6)", "was not closed cleanly: unknown",
        "reset by server (error 0x1 PROTOCOL_ERROR)", "reset by server (error 0x9 COMPRESSION_ERROR)",
    ])
    func violationOfAStreamIsAProtocolError(detail: String) {
        let text = "HTTP/2 stream 1 \(detail)"
        let failure = TransportFailure(curl: 92, text: text, isConnected: true, hasHead: true)
        #expect(failure.reason.outline == "transfer.protocol-error")
    }
}
