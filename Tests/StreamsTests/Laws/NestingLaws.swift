import Streams
import StreamsTesting
import Testing

/// Publishers that are concatenated or recovered recursively, behind erased publishers.
@Suite("Rule 5: nested concatenations and recoveries leave the stack flat", .serialized)
struct NestingLaws {
    private static let depth = 5_000

    private func expect(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation, of make: @escaping @Sendable () -> IntPublisher
    ) {
        for demand in [IntCounter.Demand.unlimited, .requested, .returned] {
            let counter = UncheckedTransfer(IntCounter(demand: demand))
            onSmallStack { make().subscribe(counter.value) }
            #expect(counter.value.count == count, "\(demand)", sourceLocation: sourceLocation)
            #expect(counter.value.isCompleted, "\(demand)", sourceLocation: sourceLocation)
        }
    }

    @Test func append() {
        expect(Self.depth + 1) {
            var chain = count(to: 1).eraseToAnyPublisher()
            for _ in 0..<Self.depth { chain = chain.append(0).eraseToAnyPublisher() }
            return chain
        }
    }

    @Test func prepend() {
        expect(Self.depth + 1) {
            var chain = count(to: 1).eraseToAnyPublisher()
            for _ in 0..<Self.depth { chain = chain.prepend(0).eraseToAnyPublisher() }
            return chain
        }
    }

    @Test func appendInsideAppend() {
        expect(Self.depth + 1) { pages(from: 0) }

        @Sendable func pages(from page: Int) -> IntPublisher {
            guard page < Self.depth else { return count(to: 1).eraseToAnyPublisher() }
            return count(to: 1).append(Deferred { pages(from: page + 1) }).eraseToAnyPublisher()
        }
    }

    @Test func catchInsideCatch() {
        expect(Self.depth + 1) { attempt(0) }

        @Sendable func attempt(_ number: Int) -> IntPublisher {
            guard number < Self.depth else { return count(to: 1).eraseToAnyPublisher() }
            return count(to: 1).append(Fail(error: .failed)).catch { _ in attempt(number + 1) }.eraseToAnyPublisher()
        }
    }

    @Test func tryCatchInsideTryCatch() {
        expect(1) { attempt(0) }

        @Sendable func attempt(_ number: Int) -> IntPublisher {
            guard number < Self.depth else { return count(to: 1).eraseToAnyPublisher() }
            return Fail<Int, LawError>(error: .failed)
                .tryCatch(throwing: LawError.self) { _ throws(LawError) in attempt(number + 1) }.eraseToAnyPublisher()
        }
    }

    @Test func switchIfEmptyInsideSwitchIfEmpty() {
        expect(1) { attempt(0) }

        @Sendable func attempt(_ number: Int) -> IntPublisher {
            guard number < Self.depth else { return count(to: 1).eraseToAnyPublisher() }
            return count(to: 0).switchIfEmpty(to: Deferred { attempt(number + 1) }).eraseToAnyPublisher()
        }
    }

    @Test func appendInsideSwitchIfEmptyInsideAppend() {
        expect(Self.depth + 1) { pages(from: 0) }

        @Sendable func pages(from page: Int) -> IntPublisher {
            guard page < Self.depth else { return count(to: 1).eraseToAnyPublisher() }
            return count(to: 1).append(
                count(to: 0).switchIfEmpty(to: Deferred { pages(from: page + 1) }).eraseToAnyPublisher()
            ).eraseToAnyPublisher()
        }
    }

    @Test func aValueEndsASwitchAtItsOwnLevel() {
        let recorder = IntRecorder()
        count(to: 1).switchIfEmpty(to: count(to: 5)).eraseToAnyPublisher().append(7).eraseToAnyPublisher()
            .switchIfEmpty(to: count(to: 9)).subscribe(recorder)
        #expect(recorder.values == [0, 7])
        #expect(recorder.completion == .finished)
    }

    @Test func appendInsideCatchInsideAppend() {
        expect(2 * Self.depth + 1) { attempt(0) }

        @Sendable func attempt(_ number: Int) -> IntPublisher {
            guard number < Self.depth else { return count(to: 1).eraseToAnyPublisher() }
            return count(to: 1).append(
                Fail<Int, LawError>(error: .failed)
                    .catch { _ in count(to: 1).append(Deferred { attempt(number + 1) }) }.eraseToAnyPublisher()
            ).eraseToAnyPublisher()
        }
    }

    @Test func failureEndsAllLevels() {
        let recorder = IntRecorder()
        count(to: 2).append(Fail(error: .failed)).eraseToAnyPublisher()
            .append(7).eraseToAnyPublisher().append(8).subscribe(recorder)
        #expect(recorder.events == [.subscription("Concatenate"), .value(0), .value(1), .failure(.failed)])
    }

    @Test func failureIsCaughtAtItsOwnLevel() {
        let recorder = IntRecorder()
        Fail<Int, LawError>(error: .failed).catch { _ in count(to: 2) }.eraseToAnyPublisher()
            .append(7).eraseToAnyPublisher().append(8).subscribe(recorder)
        #expect(recorder.values == [0, 1, 7, 8])
        #expect(recorder.completion == .finished)
    }

    @Test func demandCrossesLevels() {
        let probes = (0..<3).map { _ in IntProbe(retention: .always) }
        let recorder = IntRecorder(initialDemand: .max(4))
        probes[0].append(probes[1]).eraseToAnyPublisher().append(probes[2]).subscribe(recorder)
        for probe in probes {
            probe.send(1)
            probe.send(completion: .finished)
        }
        #expect(probes.map(\.requests) == [[.max(4)], [.max(3)], [.max(2)]])
        #expect(recorder.events == [.subscription("Concatenate"), .value(1), .value(1), .value(1), .finished])
    }

    @Test func cancellationReachesTheCurrentLevel() {
        let probes = (0..<3).map { _ in IntProbe() }
        let recorder = IntRecorder()
        probes[0].append(probes[1]).eraseToAnyPublisher().append(probes[2]).subscribe(recorder)
        probes[0].send(completion: .finished)
        recorder.cancel()
        #expect(probes.map(\.cancellations) == [0, 1, 0])
        #expect(probes.map(\.subscriptionCount) == [1, 1, 0])
    }

    @Test func aSubscriberThatIsUsedTwiceIsServedOnce() {
        let recorder = IntRecorder()
        Twice(publisher: count(to: 1).append(count(to: 2)).eraseToAnyPublisher()).append(7).subscribe(recorder)
        #expect(recorder.values == [0, 0, 1, 7])
        #expect(recorder.violations == [])
    }
}

/// A broken publisher that subscribes its subscriber twice.
private struct Twice: Publisher {
    typealias Output = Int
    typealias Failure = LawError

    let publisher: IntPublisher

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == LawError {
        publisher.subscribe(subscriber)
        publisher.subscribe(subscriber)
    }
}
