import Streams
import StreamsTesting
import Testing

/// An operator that reduces a stream to one value, with its results for 1, 2, 3 and for an empty stream.
struct ReductionCase: Sendable, CustomTestStringConvertible {
    typealias Application = @Sendable (AnyPublisher<Int, TestError>) -> AnyPublisher<String, any Error>

    /// The operator's symbol in the documentation.
    let operatorName: String

    /// The description of the operator's subscription.
    let name: String

    /// The result for 1, 2, 3.
    let result: String

    /// The result for an empty stream, if there is one.
    let emptyResult: String?

    /// The number of values that make the result certain. Nil if the completion does.
    let decidesAfter: Int?

    let application: Application

    init<P: Publisher & SendableMetatype>(
        _ operatorName: String,
        as name: String,
        _ result: P.Output,
        ofEmpty: P.Output?,
        after count: Int? = nil,
        _ application: @escaping @Sendable (AnyPublisher<Int, TestError>) -> P
    ) {
        self.operatorName = operatorName
        self.name = name
        self.result = "\(result)"
        emptyResult = ofEmpty.map { "\($0)" }
        decidesAfter = count
        self.application = { upstream in
            application(upstream).map { "\($0)" }.mapError { $0 as any Error }.eraseToAnyPublisher()
        }
    }

    var testDescription: String { operatorName }

    func apply(to upstream: some Publisher<Int, TestError>) -> AnyPublisher<String, any Error> {
        application(upstream.eraseToAnyPublisher())
    }

    static let all: [ReductionCase] = folding + choosing + matching + typed

    private static let folding: [ReductionCase] = [
        ReductionCase("reduce(_:_:)", as: "Reduce", 16, ofEmpty: 10) { $0.reduce(10) { $0 + $1 } },
        ReductionCase("tryReduce(_:_:)", as: "TryReduce", 16, ofEmpty: 10) { $0.tryReduce(10) { $0 + $1 } },
        ReductionCase("collect()", as: "Collect", [1, 2, 3], ofEmpty: []) { $0.collect() },
        ReductionCase("count()", as: "Count", 3, ofEmpty: 0) { $0.count() },
    ]

    private static let choosing: [ReductionCase] = [
        ReductionCase("min()", as: "Comparison", 1, ofEmpty: nil) { $0.min() },
        ReductionCase("max()", as: "Comparison", 3, ofEmpty: nil) { $0.max() },
        ReductionCase("min(by:)", as: "Comparison", 3, ofEmpty: nil) { $0.min(by: >) },
        ReductionCase("max(by:)", as: "Comparison", 1, ofEmpty: nil) { $0.max(by: >) },
        ReductionCase("tryMin(by:)", as: "TryComparison", 3, ofEmpty: nil) { $0.tryMin(by: >) },
        ReductionCase("tryMax(by:)", as: "TryComparison", 1, ofEmpty: nil) { $0.tryMax(by: >) },
        ReductionCase("first()", as: "First", 1, ofEmpty: nil, after: 1) { $0.first() },
        ReductionCase("first(where:)", as: "TryFirst", 2, ofEmpty: nil, after: 2) { $0.first { $0 > 1 } },
        ReductionCase("tryFirst(where:)", as: "TryFirstWhere", 2, ofEmpty: nil, after: 2) { $0.tryFirst { $0 > 1 } },
        ReductionCase("last()", as: "Last", 3, ofEmpty: nil) { $0.last() },
        ReductionCase("last(where:)", as: "LastWhere", 2, ofEmpty: nil) { $0.last { $0 < 3 } },
        ReductionCase("tryLast(where:)", as: "TryLastWhere", 2, ofEmpty: nil) { $0.tryLast { $0 < 3 } },
    ]

    private static let matching: [ReductionCase] = [
        ReductionCase("contains(_:)", as: "Contains", true, ofEmpty: false, after: 2) { $0.contains(2) },
        ReductionCase("contains(_:)", as: "Contains", false, ofEmpty: false) { $0.contains(4) },
        ReductionCase("contains(where:)", as: "ContainsWhere", true, ofEmpty: false, after: 2) {
            $0.contains { $0 > 1 }
        },
        ReductionCase("tryContains(where:)", as: "TryContainsWhere", true, ofEmpty: false, after: 2) {
            $0.tryContains { $0 > 1 }
        },
        ReductionCase("allSatisfy(_:)", as: "AllSatisfy", false, ofEmpty: true, after: 2) {
            $0.allSatisfy { $0 < 2 }
        },
        ReductionCase("allSatisfy(_:)", as: "AllSatisfy", true, ofEmpty: true) { $0.allSatisfy { $0 < 4 } },
        ReductionCase("tryAllSatisfy(_:)", as: "TryAllSatisfy", false, ofEmpty: true, after: 2) {
            $0.tryAllSatisfy { $0 < 2 }
        },
    ]

    private static let typed: [ReductionCase] = [
        ReductionCase("tryReduce(throwing:_:_:)", as: "TryReduce", 16, ofEmpty: 10) {
            $0.tryReduce(throwing: TestError.self, 10) { $0 + $1 }
        },
        ReductionCase("tryMin(throwing:by:)", as: "TryComparison", 3, ofEmpty: nil) {
            $0.tryMin(throwing: TestError.self, by: >)
        },
        ReductionCase("tryMax(throwing:by:)", as: "TryComparison", 1, ofEmpty: nil) {
            $0.tryMax(throwing: TestError.self, by: >)
        },
        ReductionCase("tryFirst(throwing:where:)", as: "TryFirstWhere", 2, ofEmpty: nil, after: 2) {
            $0.tryFirst(throwing: TestError.self) { $0 > 1 }
        },
        ReductionCase("tryLast(throwing:where:)", as: "TryLastWhere", 2, ofEmpty: nil) {
            $0.tryLast(throwing: TestError.self) { $0 < 3 }
        },
        ReductionCase("tryContains(throwing:where:)", as: "TryContainsWhere", true, ofEmpty: false, after: 2) {
            $0.tryContains(throwing: TestError.self) { $0 > 1 }
        },
        ReductionCase("tryAllSatisfy(throwing:_:)", as: "TryAllSatisfy", false, ofEmpty: true, after: 2) {
            $0.tryAllSatisfy(throwing: TestError.self) { $0 < 2 }
        },
    ]
}

@Suite("Operators that reduce a stream to one value")
struct ReductionTests {
    @Test("Requests all values, and the result waits for demand", arguments: ReductionCase.all)
    func resultWaitsForDemand(_ reduction: ReductionCase) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>(initialDemand: .none)
        reduction.apply(to: probe).subscribe(recorder)
        for value in 1...3 { #expect(probe.send(value) == .none) }
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription \(reduction.name)"])
        #expect(probe.commands.first?.first == .request(.unlimited))
        recorder.request(.max(1))
        #expect(recorder.transcript == ["subscription \(reduction.name)", reduction.result, "finished"])
    }

    @Test(
        "A certain result cancels the upstream and is delivered",
        arguments: ReductionCase.all)
    func decidesEarly(_ reduction: ReductionCase) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>()
        reduction.apply(to: probe).subscribe(recorder)
        for value in 1...3 {
            #expect(recorder.values.isEmpty == (value <= reduction.decidesAfter ?? 3))
            probe.send(value)
        }
        probe.send(completion: .finished)
        #expect(recorder.values == [reduction.result])
        #expect(recorder.transcript.last == "finished")
        let isCancelled = reduction.decidesAfter != nil
        #expect(probe.commands == [isCancelled ? [.request(.unlimited), .cancel] : [.request(.unlimited)]])
    }

    @Test(
        "The result or completion of an empty stream waits for demand",
        arguments: ReductionCase.all)
    func emptyStream(_ reduction: ReductionCase) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>(initialDemand: .none)
        reduction.apply(to: probe).subscribe(recorder)
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription \(reduction.name)"])
        recorder.request(.unlimited)
        #expect(recorder.values == [reduction.emptyResult].compactMap(\.self))
        #expect(recorder.transcript.last == "finished")
    }

    @Test("A failure is delivered without demand and without a result", arguments: ReductionCase.all)
    func failure(_ reduction: ReductionCase) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>(initialDemand: .none)
        reduction.apply(to: probe).subscribe(recorder)
        probe.send(completion: .failure(.first))
        probe.send(completion: .finished)
        probe.send(2)
        recorder.request(.max(1))
        #expect(recorder.transcript == ["subscription \(reduction.name)", "failure first"])
    }

    @Test("Cancellation cancels the upstream and ends delivery", arguments: ReductionCase.all)
    func cancellation(_ reduction: ReductionCase) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>()
        reduction.apply(to: probe).subscribe(recorder)
        recorder.cancel()
        for value in 1...3 { probe.send(value) }
        probe.send(completion: .finished)
        #expect(recorder.transcript == ["subscription \(reduction.name)"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test("Cancellation inside the result suppresses the completion", arguments: ReductionCase.all)
    func cancellationInsideValue(_ reduction: ReductionCase) {
        let recorder = RecordingSubscriber<String, any Error>(demandPerValue: .max(1)) { recorder, event in
            if event.value != nil { recorder.cancel() }
        }
        reduction.apply(to: [1, 2, 3].publisher.setFailureType(to: TestError.self)).subscribe(recorder)
        #expect(recorder.transcript == ["subscription \(reduction.name)", reduction.result])
    }

    @Test("A second subscription is cancelled", arguments: ReductionCase.all)
    func secondSubscription(_ reduction: ReductionCase) {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<String, any Error>()
        reduction.apply(to: probe).subscribe(recorder)
        let second = RecordingSubscription()
        probe.send(subscription: second)
        #expect(second.entries == ["cancel"])
        #expect(recorder.transcript == ["subscription \(reduction.name)"])
    }

    @Test("Every end releases the subscriber", arguments: ReductionCase.all)
    func release(_ reduction: ReductionCase) {
        let endings: [@Sendable (ProbePublisher<Int, TestError>, RecordingSubscriber<String, any Error>) -> Void] = [
            { probe, _ in probe.send(completion: .finished) },
            { probe, _ in probe.send(completion: .failure(.first)) },
            { _, recorder in recorder.cancel() },
        ]
        for end in endings {
            let probe = ProbePublisher<Int, TestError>(retention: .always)
            let keeper = Keeper()
            weak var released: RecordingSubscriber<String, any Error>?
            do {
                let recorder = RecordingSubscriber<String, any Error>()
                released = recorder
                reduction.apply(to: probe)
                    .breakpoint(receiveSubscription: { subscription in
                        keeper.subscription = subscription
                        return false
                    })
                    .subscribe(recorder)
                probe.send(1)
                end(probe, recorder)
            }
            probe.releaseSubscribers()
            #expect(released == nil)
            #expect(keeper.subscription != nil)
        }
    }

    @Test("A thrown error cancels the upstream and is delivered without demand")
    func thrownErrors() {
        let operators: [@Sendable (ProbePublisher<Int, TestError>) -> AnyPublisher<String, any Error>] = [
            { $0.tryReduce(0) { _, _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
            { $0.tryContains { _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
            { $0.tryAllSatisfy { _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
            { $0.tryFirst { _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
            { $0.tryLast { _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
            { $0.tryMin { _, _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
            { $0.tryMax { _, _ in throw TestError.second }.map { "\($0)" }.eraseToAnyPublisher() },
        ]
        for application in operators {
            let probe = ProbePublisher<Int, TestError>(retention: .always)
            let recorder = RecordingSubscriber<String, any Error>(initialDemand: .none)
            application(probe).subscribe(recorder)
            probe.send(1)
            probe.send(2)
            probe.send(completion: .finished)
            #expect(recorder.transcript.last == "failure second")
            #expect(recorder.values == [])
            #expect(probe.commands == [[.request(.unlimited), .cancel]])
        }
    }

    @Test("Of equal values the first is the least and the greatest")
    func ties() {
        let values = [(1, "a"), (1, "b")].publisher
        let least = RecordingSubscriber<String, Never>()
        values.min { $0.0 < $1.0 }.map(\.1).subscribe(least)
        let greatest = RecordingSubscriber<String, Never>()
        values.max { $0.0 < $1.0 }.map(\.1).subscribe(greatest)
        #expect(least.values == ["a"])
        #expect(greatest.values == ["a"])
    }
}

/// Keeps a subscription.
// Safe because one thread uses it.
private final class Keeper: @unchecked Sendable {
    var subscription: (any Subscription)?
}
