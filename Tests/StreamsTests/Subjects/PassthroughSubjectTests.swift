import Synchronization
import Testing

@testable import Streams

@Suite struct PassthroughSubjectTests {
    @Test func valuesGoToThoseWhoHaveAsked() {
        let subject = PassthroughSubject<Int, Mishap>()
        let counted = Transcript(Int.self, Mishap.self, demand: .max(1))
        let unlimited = Transcript(Int.self, Mishap.self)
        let silent = Transcript(Int.self, Mishap.self, demand: .none)
        for transcript in [counted, unlimited, silent] { subject.subscribe(transcript) }
        subject.send(1)
        subject.send(2)
        counted.subscription?.request(.max(1))
        subject.send(3)
        subject.send(completion: .failure(.first))
        subject.send(4)
        subject.send(completion: .finished)
        #expect(counted.entries == ["subscription PassthroughSubject", "1", "3", "failure first"])
        #expect(unlimited.entries == ["subscription PassthroughSubject", "1", "2", "3", "failure first"])
        #expect(silent.entries == ["subscription PassthroughSubject", "failure first"])
        let late = Transcript(Int.self, Mishap.self)
        subject.subscribe(late)
        #expect(late.entries == ["subscription Empty", "failure first"])
    }

    @Test func subscriptionsShowWhatTheyBelongTo() throws {
        let subject = PassthroughSubject<Int, Mishap>()
        let transcript = Transcript(Int.self, Mishap.self, demand: .max(2))
        subject.subscribe(transcript)
        subject.send(1)
        let subscription = try #require(transcript.subscription)
        let children = { Mirror(reflecting: subscription).children.map { "\($0.label ?? ""): \($0.value)" } }
        #expect(children().contains("demand: max(1)"))
        #expect(children().first?.contains("PassthroughSubject") == true)
        subscription.cancel()
        #expect(children() == ["parent: nil", "downstream: nil", "demand: max(1)", "subject: nil"])
    }

    @Test func returnedDemandCounts() {
        let subject = PassthroughSubject<Int, Never>()
        let transcript = Transcript(Int.self, Never.self, demand: .max(1))
        transcript.onValue = { $0 == 1 ? .max(1) : .none }
        subject.subscribe(transcript)
        for value in 1...4 { subject.send(value) }
        #expect(transcript.values == [1, 2])
    }

    @Test func valuesSentFromInsideComeAfterTheOneBeingDelivered() {
        let subject = PassthroughSubject<Int, Never>()
        let (first, second) = (Transcript(Int.self, Never.self), Transcript(Int.self, Never.self))
        first.onValue = { value in
            if value == 1 { subject.send(2) }
            if value == 2 { subject.send(completion: .finished) }
            return .none
        }
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        subject.send(3)
        #expect(first.entries == ["subscription PassthroughSubject", "1", "2", "finished"])
        #expect(second.entries == first.entries)
    }

    @Test func whatArrivesDuringSubscribingComesRightAfter() {
        let subject = PassthroughSubject<Int, Never>()
        let transcript = Transcript(Int.self, Never.self, demand: .none)
        transcript.onSubscription = { subscription in
            subject.send(0)
            subscription.request(.max(2))
            subject.send(1)
            subject.send(2)
            subject.send(3)
            subject.send(completion: .finished)
        }
        subject.subscribe(transcript)
        #expect(transcript.entries == ["subscription PassthroughSubject", "1", "2", "finished"])
    }

    @Test func nothingFollowsACancellationFromInsideOfAnother() {
        let subject = PassthroughSubject<Int, Never>()
        let (first, second) = (Transcript(Int.self, Never.self), Transcript(Int.self, Never.self))
        first.onValue = { _ in
            second.subscription?.cancel()
            return .none
        }
        subject.subscribe(first)
        subject.subscribe(second)
        subject.send(1)
        subject.send(completion: .finished)
        #expect(first.values == [1])
        #expect(second.entries == ["subscription PassthroughSubject"])
    }

    @Test(arguments: [true, false])
    func theEndLetsGoOfTheSubscriberThoughTheSubscriptionIsKept(byCompletion: Bool) {
        let subject = PassthroughSubject<Int, Never>()
        var transcript: Transcript<Int, Never>? = Transcript()
        let weak = Weak(object: transcript)
        if let transcript { subject.subscribe(transcript) }
        let subscription = transcript?.subscription
        transcript = nil
        #expect(weak.object != nil)
        if byCompletion { subject.send(completion: .finished) } else { subscription?.cancel() }
        weak.object?.releaseSubscription()
        #expect(weak.object == nil)
        withExtendedLifetime(subscription) {}
    }

    @Test func theSubjectGoesThoughAFinishedSubscriptionIsKept() {
        var subject: PassthroughSubject<Int, Never>? = PassthroughSubject()
        let weak = Weak(object: subject?.core)
        let transcript = Transcript(Int.self, Never.self)
        subject?.subscribe(transcript)
        transcript.subscription?.cancel()
        subject = nil
        #expect(weak.object == nil)
        #expect(transcript.subscription != nil)
    }

    @Test func upstreamsAreAskedOnceSomebodyAsksAndCancelledWithTheSubject() {
        let (early, late) = (Ledger(), Ledger())
        do {
            let subject = PassthroughSubject<Int, Never>()
            subject.send(subscription: early)
            let transcript = Transcript(Int.self, Never.self, demand: .none)
            subject.subscribe(transcript)
            #expect(early.entries.isEmpty)
            transcript.subscription?.request(.max(1))
            transcript.subscription?.request(.max(1))
            subject.send(subscription: late)
            #expect(early.entries == ["unlimited"] && late.entries == ["unlimited"])
        }
        #expect(early.entries == ["unlimited", "cancel"] && late.entries == ["unlimited", "cancel"])
    }

    @Test func completionCancelsAndReleasesUpstreams() {
        let subject = PassthroughSubject<Int, Never>()
        var early: Ledger? = Ledger()
        let weak = Weak(object: early)
        if let early { subject.send(subscription: early) }
        early = nil
        #expect(weak.object?.entries == [])
        subject.send(completion: .finished)
        #expect(weak.object == nil)
        let late = Ledger()
        subject.send(subscription: late)
        #expect(late.entries == ["cancel"])
    }

    @Test func aPublisherFeedsIt() {
        let subject = PassthroughSubject<Int, Never>()
        let transcript = Transcript(Int.self, Never.self)
        subject.subscribe(transcript)
        let source = PassthroughSubject<Int, Never>()
        let cancellable = source.subscribe(subject)
        source.send(1)
        cancellable.cancel()
        source.send(2)
        #expect(transcript.entries == ["subscription PassthroughSubject", "1"])
    }

    @Test func aHundredThousandCancelInAnyOrder() {
        let subject = PassthroughSubject<Int, Never>()
        let count = Atomic<Int>(0)
        var cancellables = (0..<100_000).map { _ in subject.sink { _ in count.add(1, ordering: .relaxed) } }
        subject.send(1)
        #expect(count.load(ordering: .relaxed) == 100_000)
        cancellables.shuffle()
        for cancellable in cancellables { cancellable.cancel() }
        subject.send(2)
        #expect(count.load(ordering: .relaxed) == 100_000)
        let isEmpty = subject.core.conduits.isEmpty
        #expect(isEmpty)
    }

    @Test func threadsSendingAtOnceAreSerialAndInOrder() {
        let subject = PassthroughSubject<(thread: Int, number: Int), Never>()
        let transcripts = (0..<2).map { _ in Transcript((thread: Int, number: Int).self, Never.self) }
        let busy = Atomic<Bool>(false)
        transcripts[0].onValue = { _ in
            let wasBusy = busy.exchange(true, ordering: .acquiringAndReleasing)
            #expect(!wasBusy)
            busy.store(false, ordering: .releasing)
            return .none
        }
        for transcript in transcripts { subject.subscribe(transcript) }
        concurrently(4) { thread in
            for number in 0..<5000 { subject.send((thread, number)) }
        }
        #expect(
            transcripts[0].values.map { [$0.thread, $0.number] }
                == transcripts[1].values.map { [$0.thread, $0.number] })
        for thread in 0..<4 {
            let mine = transcripts[0].values.filter { $0.thread == thread }.map(\.number)
            #expect(mine == Array(0..<5000))
        }
    }

    @Test func subscribingSendingAndCancellingAtOnceLeavesNothingBehind() {
        let subject = PassthroughSubject<Int, Never>()
        let alive = Atomic<Int>(0)
        concurrently(4) { thread in
            for number in 0..<2000 {
                if thread == 0 {
                    subject.send(number)
                } else {
                    alive.add(1, ordering: .relaxed)
                    let token = Keepsake { alive.subtract(1, ordering: .relaxed) }
                    let cancellable = subject.sink { _ in token.touch() }
                    cancellable.cancel()
                }
            }
        }
        subject.send(0)
        #expect(alive.load(ordering: .relaxed) == 0)
        let isEmpty = subject.core.conduits.isEmpty
        #expect(isEmpty)
    }
}
