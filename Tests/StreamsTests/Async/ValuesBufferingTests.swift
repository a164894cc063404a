import Streams
import StreamsTesting
import Testing

@Suite("values(buffering:)", .timeLimit(.minutes(15))) struct ValuesBufferingTests {
    typealias Policy = AsyncStream<Int>.Continuation.BufferingPolicy

    private func received(_ policy: Policy) async throws -> [Int] {
        let subject = IntSubject()
        var iterator = subject.values(buffering: policy).makeAsyncIterator()
        for value in 1...5 { subject.send(value) }
        subject.send(completion: .failure(.failed))
        var received: [Int] = []
        do throws(LawError) {
            while let value = try await iterator.next() { received.append(value) }
            Issue.record("the failure is missing")
        } catch {
            #expect(error == .failed)
        }
        #expect(try await iterator.next() == nil)
        return received
    }

    @Test("The policy decides which values are buffered, and the failure follows them")
    func buffersByPolicy() async throws {
        #expect(try await received(.unbounded) == [1, 2, 3, 4, 5])
        #expect(try await received(.bufferingNewest(2)) == [4, 5])
        #expect(try await received(.bufferingOldest(2)) == [1, 2])
        #expect(try await received(.bufferingNewest(0)) == [])
    }

    @Test("An awaited value is not dropped, and a publisher that cannot fail throws nothing")
    func deliversAnAwaitedValue() async {
        let subject = CurrentValueSubject<Int, Never>(0)
        var iterator = subject.values(buffering: .bufferingNewest(1)).makeAsyncIterator()
        #expect(await iterator.next() == 0)
        subject.value = 1
        subject.value = 2
        #expect(await iterator.next() == 2)
        subject.send(completion: .finished)
        #expect(await iterator.next() == nil)
    }

    @Test("Releasing the iterator cancels the upstream")
    func releasingTheIteratorCancels() {
        let probe = IntProbe()
        do {
            let iterator = probe.values(buffering: .unbounded).makeAsyncIterator()
            #expect(probe.requests == [.unlimited])
            withExtendedLifetime(iterator) {}
        }
        #expect(probe.cancellations == 1)
        #expect(probe.subscriberCount == 0)
    }
}
