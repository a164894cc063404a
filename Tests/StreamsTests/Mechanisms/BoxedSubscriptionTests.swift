import Testing

@testable import Streams

@Suite struct BoxedSubscriptionTests {
    /// A subscription that is not an object.
    private struct Valued: Subscription, BackpressureTraits {
        let ledger: Ledger
        let combineIdentifier = CombineIdentifier()

        var dropsUnrequestedValues: Bool { ledger.dropsUnrequestedValues }

        func request(_ demand: Subscribers.Demand) {
            ledger.request(demand)
        }

        func cancel() {
            ledger.cancel()
        }
    }

    @Test("What is asked of the box is asked of the subscription in it")
    func passing() {
        let ledger = Ledger(dropsUnrequestedValues: true)
        let (link, valued) = (UpstreamLink(.sink), Valued(ledger: ledger))
        #expect(link.attach(valued))
        #expect(link.upstream is Valued)
        #expect(link.upstream?.combineIdentifier == valued.combineIdentifier)
        #expect(link.dropsUnrequestedValues)
        link.request(.max(2))
        link.cancel()
        #expect(ledger.entries == ["max(2)", "cancel"])
    }

    @Test("An object is its own reference")
    func object() {
        let (link, ledger) = (UpstreamLink(.sink), Ledger())
        #expect(ledger._reference === ledger)
        #expect(link.attach(ledger))
        #expect((link.upstream as? Ledger) === ledger)
    }
}
