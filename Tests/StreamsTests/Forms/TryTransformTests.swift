import Streams
import StreamsTesting
import Testing

@Suite("The typed forms of the throwing operators") struct TryTransformTests {
    private let probe = IntProbe()

    @Test func keepsTheTypeOfFailureAndCancels() {
        let recorder = IntRecorder()
        probe.tryMap(throwing: LawError.self) { value throws(LawError) -> Int in
            guard value < 3 else { throw .other }
            return value * 10
        }.subscribe(recorder)
        for value in 1...4 { probe.send(value) }
        #expect(recorder.events.dropFirst() == [.value(10), .value(20), .completion(.failure(.other))])
        #expect(probe.cancellations == 1)
    }

    @Test func requestsAnotherValueForEachDroppedOne() {
        let recorder = IntRecorder(initialDemand: .max(1))
        probe.tryCompactMap(throwing: LawError.self) { $0.isMultiple(of: 2) ? $0 : nil }
            .tryFilter(throwing: LawError.self) { $0 > 2 }
            .subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(1))
        #expect(probe.send(4) == .none)
        #expect(recorder.values == [4])
    }

    @Test func hasAStateForEachSubscription() {
        let publisher = count(to: 4).tryScan(throwing: LawError.self, 10) { $0 + $1 }
            .tryRemoveDuplicates(throwing: LawError.self) { $0 == $1 }
            .tryDrop(throwing: LawError.self) { $0 < 11 }
            .tryPrefix(throwing: LawError.self) { $0 < 16 }
        for _ in 0..<2 {
            let recorder = IntRecorder(initialDemand: .max(1), demandPerValue: .max(1))
            publisher.subscribe(recorder)
            #expect(recorder.values == [11, 13])
            #expect(recorder.completion == .finished)
        }
    }

    @Test(arguments: Failing.all) func keepsTheTypeOfFailureAndCancels(_ failing: Failing) {
        let recorder = IntRecorder()
        failing.application(probe).subscribe(recorder)
        for value in 1...3 { probe.send(value) }
        probe.send(completion: .finished)
        #expect(recorder.completion == .failure(.other))
        #expect(recorder.violations == [])
        #expect(probe.cancellations == 1)
    }

    @Test func namesTheSubscriptionAfterTheOperator() {
        let names = [
            probe.tryMap(throwing: LawError.self) { $0 }.eraseToAnyPublisher(),
            probe.tryFilter(throwing: LawError.self) { _ in true }.eraseToAnyPublisher(),
            probe.tryCompactMap(throwing: LawError.self) { $0 }.eraseToAnyPublisher(),
            probe.tryScan(throwing: LawError.self, 0) { $1 }.eraseToAnyPublisher(),
        ].map { publisher in
            let recorder = IntRecorder()
            publisher.subscribe(recorder)
            return recorder.transcript.first
        }
        #expect(names == ["TryMap", "TryFilter", "TryCompactMap", "TryScan"].map { "subscription \($0)" })
    }

    @Test func tryCatchFailsWithTheTypeThatItsClosureThrows() {
        for isHopeless in [false, true] {
            let recorder = RecordingSubscriber<Int, TestError>()
            let recovering = probe.tryCatch(throwing: TestError.self) { error throws(TestError) in
                if isHopeless || error != .failed { throw .first }
                return [8, 9].publisher.setFailureType(to: TestError.self)
            }
            recovering.subscribe(recorder)
            probe.send(1)
            probe.send(completion: .failure(.failed))
            #expect(recorder.values == (isHopeless ? [1] : [1, 8, 9]))
            #expect(recorder.completion == (isHopeless ? .failure(.first) : .finished))
        }
    }

    @Test func failsWithAnyErrorWithoutTheLabel() {
        let mapped: Publishers.TryMap<IntProbe, Int> = probe.tryMap { _ in throw LawError.other }
        let recorder = RecordingSubscriber<Int, any Error>()
        mapped.subscribe(recorder)
        probe.send(1)
        guard case .failure(let error) = recorder.completion else {
            Issue.record("there is no failure")
            return
        }
        #expect(error as? LawError == .other)
    }
}

/// An operator whose closure throws at the second value at the latest.
struct Failing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let application: @Sendable (IntProbe) -> IntPublisher

    init<P: Publisher<Int, LawError> & SendableMetatype>(
        _ name: String, _ application: @escaping @Sendable (IntProbe) -> P
    ) {
        testDescription = name
        self.application = { application($0).eraseToAnyPublisher() }
    }

    private static let predicate: @Sendable (Int) throws(LawError) -> Bool = { _ throws(LawError) in throw .other }
    private static let relation: @Sendable (Int, Int) throws(LawError) -> Bool = { _, _ throws(LawError) in
        throw .other
    }
    private static let combination: @Sendable (Int, Int) throws(LawError) -> Int = { _, _ throws(LawError) in
        throw .other
    }

    static let all: [Failing] = [
        Failing("tryCompactMap") {
            $0.tryCompactMap(throwing: LawError.self) { value throws(LawError) -> Int? in throw .other }
        },
        Failing("tryFilter") { $0.tryFilter(throwing: LawError.self, predicate) },
        Failing("tryScan") { $0.tryScan(throwing: LawError.self, 0, combination) },
        Failing("tryRemoveDuplicates") { $0.tryRemoveDuplicates(throwing: LawError.self, by: relation) },
        Failing("tryDrop") { $0.tryDrop(throwing: LawError.self, while: predicate) },
        Failing("tryPrefix") { $0.tryPrefix(throwing: LawError.self, while: predicate) },
        Failing("tryReduce") { $0.tryReduce(throwing: LawError.self, 0, combination) },
        Failing("tryAllSatisfy") { $0.tryAllSatisfy(throwing: LawError.self, predicate).map { $0 ? 1 : 0 } },
        Failing("tryContains") { $0.tryContains(throwing: LawError.self, where: predicate).map { $0 ? 1 : 0 } },
        Failing("tryFirst") { $0.tryFirst(throwing: LawError.self, where: predicate) },
        Failing("tryLast") { $0.tryLast(throwing: LawError.self, where: predicate) },
        Failing("tryMin") { $0.tryMin(throwing: LawError.self, by: relation) },
        Failing("tryMax") { $0.tryMax(throwing: LawError.self, by: relation) },
    ]
}
