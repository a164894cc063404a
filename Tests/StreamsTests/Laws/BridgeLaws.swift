import Streams
import StreamsTesting
import Testing

@Suite("Rule 8: the bridge to AsyncSequence loses nothing and carries cancellation", .serialized)
struct BridgeLaws {
    /// Those whose values all come, without a clock being moved.
    private static let immediate = OperatorCase.all.filter {
        $0.traits.isDisjoint(with: [.scheduled, .dropsUnrequested]) && $0.name != "subscribe(on:options:)"
    }

    private static let prompt = immediate.filter { !$0.traits.contains(.holdsBack) }

    /// Those that ask for what they are asked for, or for a few more.
    private static let sparing = immediate.filter { operatorCase in
        let asksForEverything = [
            "AnyPublisher.create(_:)", "combineLatest(", "flatMap(maxPublishers:_:)", "onBackpressureBuffer(",
        ]
        return !operatorCase.traits.contains(.hot)
            && (operatorCase.traits.contains(.holdsBack)
                || !asksForEverything.contains { operatorCase.name.hasPrefix($0) })
    }

    @Test("Everything a source has arrives", arguments: immediate)
    func values(_ operatorCase: OperatorCase) async throws {
        var received: [Int] = []
        for try await value in operatorCase.apply(to: count(to: 200)).values { received.append(value) }
        #expect(received == Array(0..<200))
    }

    @Test("Everything a subject sends arrives, however slowly it is taken", arguments: prompt)
    func sentValues(_ operatorCase: OperatorCase) async throws {
        let subject = IntSubject()
        var iterator = operatorCase.apply(to: subject).values.makeAsyncIterator()
        for value in 0..<100 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = try await iterator.next() { received.append(value) }
        #expect(received == Array(0..<100))
    }

    @Test("Everything a subject sends arrives that comes after other values", arguments: prompt)
    func lateValues(_ operatorCase: OperatorCase) async throws {
        let subject = IntSubject()
        let stream = operatorCase.apply(to: count(to: 1).append(subject).prepend(Empty()))
        var iterator = stream.values.makeAsyncIterator()
        #expect(try await iterator.next() == 0)
        for value in 1..<100 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = try await iterator.next() { received.append(value) }
        #expect(received == Array(1..<100))
    }

    @Test("Where there is no end, no more is asked for than is awaited, also after a subject", arguments: sparing)
    func endlessValues(_ operatorCase: OperatorCase) async throws {
        let (subject, numbers) = (IntSubject(), EndlessNumbers())
        let endless = numbers.publisher.setFailureType(to: LawError.self)
        var iterator = operatorCase.apply(to: subject.append(endless)).values.makeAsyncIterator()
        subject.send(completion: .finished)
        for expected in 0..<5 { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 5 + 9)
    }

    @Test("Letting go of the iterator cancels the upstream", arguments: immediate)
    func release(_ operatorCase: OperatorCase) async throws {
        let probe = IntProbe()
        do {
            let iterator = operatorCase.apply(to: probe).values.makeAsyncIterator()
            #expect(probe.subscriberCount == 1)
            withExtendedLifetime(iterator) {}
        }
        #expect(probe.subscriberCount == 0)
        #expect(probe.cancellations == 1)
    }

    @Test("Cancelling the task ends the waiting and cancels the upstream", arguments: immediate)
    func taskCancellation(_ operatorCase: OperatorCase) async {
        let probe = IntProbe()
        let publisher = UncheckedTransfer(operatorCase.apply(to: probe))
        let task = Task {
            var count = 0
            for try await _ in publisher.value.values { count += 1 }
            return count
        }
        task.cancel()
        _ = await task.result
        #expect(probe.subscriberCount == 0)
    }
}
