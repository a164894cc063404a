import Synchronization
import Testing

@testable import Streams

@Suite struct CurrentValueSubjectTests {
    @Test func theCurrentValueComesFirst() {
        let subject = CurrentValueSubject<Int, Mishap>(0)
        let transcript = Transcript(Int.self, Mishap.self)
        subject.subscribe(transcript)
        subject.send(1)
        subject.value = 2
        #expect(subject.value == 2)
        subject.send(completion: .failure(.first))
        subject.send(3)
        #expect(subject.value == 2)
        #expect(transcript.entries == ["subscription CurrentValueSubject", "0", "1", "2", "failure first"])
        let late = Transcript(Int.self, Mishap.self)
        subject.subscribe(late)
        #expect(late.entries == ["subscription Empty", "failure first"])
    }

    @Test func afterTheCompletionTheValueCanStillBeSet() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let transcript = Transcript(Int.self, Never.self)
        subject.subscribe(transcript)
        subject.send(completion: .finished)
        subject.value = 1
        #expect(subject.value == 1)
        subject.send(2)
        #expect(subject.value == 1)
        #expect(transcript.entries == ["subscription CurrentValueSubject", "0", "finished"])
    }

    @Test func withoutDemandTheNewestIsKept() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        subject.subscribe(transcript)
        subject.send(1)
        subject.send(2)
        #expect(transcript.values.isEmpty)
        transcript.subscription?.request(.max(1))
        #expect(transcript.values == [2])
        transcript.subscription?.request(.max(1))
        #expect(transcript.values == [2])
        subject.send(3)
        subject.send(4)
        subject.send(5)
        #expect(transcript.values == [2, 3])
        transcript.subscription?.request(.max(5))
        #expect(transcript.values == [2, 3, 5])
    }

    @Test func whatIsSentWhileSubscribingFollowsTheFirstValue() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        transcript.onSubscription = { subscription in
            subject.send(1)
            subscription.request(.unlimited)
            subject.send(2)
            subject.send(3)
        }
        subject.subscribe(transcript)
        #expect(transcript.values == [1, 2, 3])
    }

    @Test func subscribingFromInsideYieldsTheCurrentValueAtOnce() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let (outer, inner) = (Transcript(Int.self, Never.self), Transcript(Int.self, Never.self))
        outer.onValue = { value in
            guard value == 1 else { return .none }
            subject.send(2)
            #expect(subject.value == 2)
            subject.subscribe(inner)
            #expect(inner.values == [2])
            subject.send(3)
            return .none
        }
        subject.subscribe(outer)
        subject.send(1)
        #expect(outer.values == [0, 1, 2, 3])
        #expect(inner.values == [2, 3])
    }

    @Test func demandFromInsideACallbackIsServedAfterIt() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let transcript = Transcript(Int.self, Never.self, demand: .max(1))
        transcript.onValue = { [unowned transcript] value in
            if value < 3 {
                subject.send(value + 1)
                transcript.subscription?.request(.max(1))
            }
            return .none
        }
        subject.subscribe(transcript)
        #expect(transcript.values == [0, 1, 2, 3])
    }

    @Test func aCancelledSubscriberGetsNoFirstValue() {
        let subject = CurrentValueSubject<Int, Never>(0)
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        transcript.onSubscription = { subscription in
            subscription.request(.unlimited)
            subscription.cancel()
        }
        subject.subscribe(transcript)
        subject.send(1)
        #expect(transcript.values.isEmpty)
        let isEmpty = subject.core.conduits.isEmpty
        #expect(isEmpty)
    }

    @Test func theLastValueDeliveredIsTheCurrentOne() {
        for _ in 0..<200 {
            let subject = CurrentValueSubject<Int, Never>(0)
            let transcript = Transcript(Int.self, Never.self)
            subject.subscribe(transcript)
            concurrently(4) { thread in
                for number in 1...50 { subject.send(thread * 1000 + number) }
            }
            #expect(transcript.values.count == 201)
            #expect(transcript.values.last == subject.value)
        }
    }

    @Test func everySubscriberSeesAnUnbrokenEndOfTheSequence() {
        for _ in 0..<100 {
            let subject = CurrentValueSubject<Int, Never>(0)
            let transcripts = (0..<3).map { _ in Transcript(Int.self, Never.self) }
            concurrently(4) { thread in
                if thread == 3 {
                    for number in 1...500 { subject.send(number) }
                } else {
                    subject.subscribe(transcripts[thread])
                }
            }
            for transcript in transcripts {
                #expect(transcript.values == Array((transcript.values.first ?? 0)...500))
            }
        }
    }

    @Test func pulledOneByOneValuesNeitherRepeatNorGoBack() {
        for _ in 0..<100 {
            let subject = CurrentValueSubject<Int, Never>(0)
            let transcript = Transcript(Int.self, Never.self, demand: .none)
            subject.subscribe(transcript)
            nonisolated(unsafe) let subscription = transcript.subscription
            concurrently(2) { thread in
                for number in 1...500 {
                    if thread == 0 { subject.send(number) } else { subscription?.request(.max(1)) }
                }
            }
            subscription?.request(.max(1))
            #expect(zip(transcript.values, transcript.values.dropFirst()).allSatisfy { $0 < $1 })
            #expect(transcript.values.last == 500)
        }
    }

    @Test func upstreamsAreAskedAtOnce() {
        let ledger = Ledger()
        do {
            let subject = CurrentValueSubject<Int, Never>(0)
            subject.send(subscription: ledger)
            #expect(ledger.entries == ["unlimited"])
        }
        #expect(ledger.entries == ["unlimited", "cancel"])
    }

    @Test func replacedValuesAreReleased() {
        let subject = CurrentValueSubject<Keepsake?, Never>(Keepsake())
        let weak = Weak(object: subject.value)
        #expect(weak.object != nil)
        subject.send(nil)
        #expect(weak.object == nil)
    }
}
