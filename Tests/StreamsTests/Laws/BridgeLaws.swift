import Streams
import StreamsTesting
import Testing

// Limited in time, as an operator that stops requesting leaves the iterator waiting.
@Suite(
    "Rule 8: the bridge to AsyncSequence loses nothing and carries the cancellation both ways",
    .serialized, .timeLimit(.minutes(5))
)
struct BridgeLaws {
    @Test("All values of a source are delivered", arguments: OperatorCase.all.filter(\.isIterable))
    func deliversAllValues(_ operatorCase: OperatorCase) async throws {
        var received: [Int] = []
        for try await value in operatorCase.apply(to: count(to: 200)).values { received.append(value) }
        #expect(received == operatorCase.output(of: 0..<200, isFinished: true))
    }

    @Test(
        "All values of a subject are delivered to a slow iterator",
        arguments: OperatorCase.all.filter(\.isIterableWithoutLoss))
    func deliversAllValuesOfASubject(_ operatorCase: OperatorCase) async throws {
        let subject = IntSubject()
        var iterator = operatorCase.apply(to: subject).values.makeAsyncIterator()
        for value in 0..<100 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = try await iterator.next() { received.append(value) }
        #expect(received == operatorCase.output(of: 0..<100, isFinished: true))
    }

    @Test(
        "All values of a subject that follows another publisher are delivered",
        arguments: OperatorCase.all.filter(\.isIterableWithoutLoss))
    func deliversAllValuesOfALaterSubject(_ operatorCase: OperatorCase) async throws {
        let subject = IntSubject()
        let next = operatorCase.opening.upperBound
        let stream = operatorCase.apply(to: count(to: next).append(subject).prepend(Empty()))
        var iterator = stream.values.makeAsyncIterator()
        #expect(try await iterator.next() == operatorCase.firstValue)
        for value in next..<100 { subject.send(value) }
        subject.send(completion: .finished)
        var received: [Int] = []
        while let value = try await iterator.next() { received.append(value) }
        #expect(received == Array(operatorCase.output(of: 0..<100, isFinished: true).dropFirst()))
    }

    @Test(
        "An endless publisher after a subject receives requests only for awaited values",
        arguments: OperatorCase.all.filter(\.isIterableOnDemand))
    func requestsOnlyAwaitedValues(_ operatorCase: OperatorCase) async throws {
        let (subject, numbers) = (IntSubject(), EndlessNumbers())
        let endless = numbers.publisher.setFailureType(to: LawError.self)
        var iterator = operatorCase.apply(to: subject.append(endless)).values.makeAsyncIterator()
        subject.send(completion: .finished)
        for expected in operatorCase.output(of: 0..<20).prefix(5) { #expect(try await iterator.next() == expected) }
        #expect(numbers.taken <= 5 + 9)
    }

    @Test("Releasing the iterator cancels the upstream", arguments: OperatorCase.all.filter(\.isIterable))
    func releasingTheIteratorCancels(_ operatorCase: OperatorCase) async throws {
        let probe = IntProbe()
        do {
            let iterator = operatorCase.apply(to: probe).values.makeAsyncIterator()
            #expect(probe.subscriberCount == 1)
            withExtendedLifetime(iterator) {}
        }
        #expect(probe.subscriberCount == 0)
        #expect(probe.cancellations == 1)
    }

    @Test(
        "Cancelling the task ends the iteration and cancels the upstream",
        arguments: OperatorCase.all.filter(\.isIterable))
    func cancellingTheTaskCancels(_ operatorCase: OperatorCase) async {
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
