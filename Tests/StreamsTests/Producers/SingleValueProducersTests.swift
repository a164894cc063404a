import Testing

@testable import Streams

@Suite struct SingleValueProducersTests {
    @Test func justDeliversOnDemand() {
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        Just(1).subscribe(transcript)
        #expect(transcript.entries == ["subscription Just"])
        transcript.subscription?.request(.max(1))
        transcript.subscription?.request(.max(1))
        #expect(transcript.entries == ["subscription Just", "1", "finished"])
    }

    @Test func cancellationFromInsideKeepsTheCompletionBack() {
        let transcript = Transcript(Int.self, Never.self)
        transcript.onValue = { [unowned transcript] _ in
            transcript.subscription?.cancel()
            return .none
        }
        Just(1).subscribe(transcript)
        #expect(transcript.entries == ["subscription Just", "1"])
    }

    @Test func cancellationLetsGoOfValueAndSubscriber() {
        var token: Keepsake? = Keepsake()
        let weakToken = Weak(object: token)
        var transcript: Transcript<Keepsake?, Never>? = Transcript(demand: .none)
        let weakTranscript = Weak(object: transcript)
        if let transcript { Just(token).subscribe(transcript) }
        let subscription = transcript?.subscription
        (token, transcript) = (nil, nil)
        #expect(weakToken.object != nil && weakTranscript.object != nil)
        subscription?.cancel()
        #expect(weakToken.object == nil)
        weakTranscript.object?.releaseSubscription()
        #expect(weakTranscript.object == nil)
    }

    @Test func optionalsAndResults() {
        let some = Transcript(Int.self, Never.self)
        Optional(1).publisher.subscribe(some)
        #expect(some.entries == ["subscription Optional", "1", "finished"])
        let none = Transcript(Int.self, Never.self, demand: .none)
        Int?.none.publisher.subscribe(none)
        #expect(none.entries == ["subscription Empty", "finished"])
        let success = Transcript(Int.self, Mishap.self)
        Result<Int, Mishap>.success(1).publisher.subscribe(success)
        #expect(success.entries == ["subscription Once", "1", "finished"])
        let failure = Transcript(Int.self, Mishap.self, demand: .none)
        Result<Int, Mishap>.failure(.first).publisher.subscribe(failure)
        #expect(failure.entries == ["subscription Empty", "failure first"])
    }

    @Test func emptyFailAndDeferred() {
        let empty = Transcript(Int.self, Never.self)
        Empty().subscribe(empty)
        #expect(empty.entries == ["subscription Empty", "finished"])
        let never = Transcript(Int.self, Never.self)
        Empty(completeImmediately: false).subscribe(never)
        #expect(never.entries == ["subscription Empty"])
        let fail = Transcript(Int.self, Mishap.self)
        Fail(error: .second).subscribe(fail)
        #expect(fail.entries == ["subscription Empty", "failure second"])
        let made = Locked(0)
        let deferred = Deferred {
            Just(
                made.withLock { made in
                    made += 1
                    return made
                })
        }
        #expect(made.withLock { $0 } == 0)
        let first = Transcript(Int.self, Never.self)
        deferred.subscribe(first)
        let second = Transcript(Int.self, Never.self)
        deferred.subscribe(second)
        #expect(first.values == [1] && second.values == [2])
    }

    @Test func oneShotsResolveInAnyOrder() {
        typealias Shot = OneShotSubscription<Transcript<Int, Mishap>>
        let resolvedFirst = Transcript(Int.self, Mishap.self, demand: .none)
        let early = Shot(.future, downstream: resolvedFirst)
        early.resolve(.value(1))
        early.request(.max(1))
        #expect(resolvedFirst.entries == ["1", "finished"])
        let requestedFirst = Transcript(Int.self, Mishap.self, demand: .none)
        let late = Shot(.future, downstream: requestedFirst)
        late.request(.max(1))
        #expect(requestedFirst.entries.isEmpty)
        late.resolve(.value(2))
        #expect(requestedFirst.entries == ["2", "finished"])
        let failed = Transcript(Int.self, Mishap.self, demand: .none)
        Shot(.future, downstream: failed).resolve(.end(.failure(.first)))
        #expect(failed.entries == ["failure first"])
        let cancelled = Transcript(Int.self, Mishap.self, demand: .none)
        let dead = Shot(.future, downstream: cancelled)
        dead.cancel()
        dead.request(.max(1))
        dead.resolve(.value(3))
        #expect(cancelled.entries.isEmpty)
        #expect(dead.parts.pointee.outcome == nil && dead.parts.pointee.downstream == nil)
    }

    @Test func oneShotsDeliverOnceWhateverThreadsDo() {
        for round in 0..<500 {
            let transcript = Transcript(Int.self, Mishap.self, demand: .none)
            let shot = OneShotSubscription(.future, downstream: transcript)
            nonisolated(unsafe) let shared = shot
            concurrently(4) { thread in
                switch thread {
                case 0: shared.resolve(.value(round))
                case 3 where round.isMultiple(of: 2): shared.cancel()
                default: shared.request(.max(1))
                }
            }
            if round.isMultiple(of: 2) {
                #expect([[], ["\(round)"], ["\(round)", "finished"]].contains(transcript.entries))
            } else {
                #expect(transcript.entries == ["\(round)", "finished"])
            }
        }
    }

    @Test func subscriptionsShowTheirValue() throws {
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        Just(7).subscribe(transcript)
        let subscription = try #require(transcript.subscription)
        var shown = ""
        dump(subscription, to: &shown)
        #expect(shown == "▿ Just #0\n  - 7\n")
        subscription.cancel()
        #expect(Mirror(reflecting: subscription).children.isEmpty)
    }
}
