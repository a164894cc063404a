import Streams
import StreamsTesting
import Testing

@Suite("Rule 8: the bridge to AsyncSequence loses nothing and carries cancellation", .serialized)
struct BridgeLaws {
    /// Those whose values all come, without a clock being moved.
    private static let immediate = OperatorCase.all.filter {
        $0.traits.isDisjoint(with: [.scheduled, .sheds]) && $0.name != "subscribe(on:options:)"
    }

    private static let prompt = immediate.filter { !$0.traits.contains(.holdsBack) }

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
        let publisher = Sent(operatorCase.apply(to: probe))
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
