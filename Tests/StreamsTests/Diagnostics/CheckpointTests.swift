import StreamsTesting
import Testing

@testable import Streams

@Suite("checkpoint and labelError")
struct CheckpointTests {
    private static func row(_ label: String) throws -> Census.Row {
        try #require(Census.current.rows(labeled: label).first)
    }

    @Test("The census counts live subscriptions and their ends")
    func countsSubscriptionsAndTheirEnds() throws {
        let label = "counts"
        let subject = PassthroughSubject<Int, TestError>()
        let stream = subject.checkpoint(label)
        let line = UInt(#line - 1)
        let first = RecordingSubscriber<Int, TestError>()
        let second = RecordingSubscriber<Int, TestError>(initialDemand: .max(3))
        stream.subscribe(first)
        stream.subscribe(second)
        subject.send(1)
        let during = try Self.row(label)
        #expect(during.live == 2)
        #expect(during.values == 2)
        #expect(during.outstandingDemand == .unlimited)
        #expect(during.oldest != nil)
        first.cancel()
        #expect(try Self.row(label).outstandingDemand == .max(2))
        subject.send(completion: .failure(.first))
        let after = try Self.row(label)
        #expect(after.live == 0)
        #expect(after.started == 2)
        #expect(after.cancelled == 1)
        #expect(after.failed == 1)
        #expect(after.finished == 0)
        #expect(after.values == 2)
        #expect(after.outstandingDemand == .none)
        #expect(after.oldest == nil)
        #expect(after.callSite.line == line)
    }

    @Test("Demand returned for a value counts as outstanding")
    func countsReturnedDemand() throws {
        let label = "demand returned"
        let probe = ProbePublisher<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1), demandPerValue: .max(4))
        probe.checkpoint(label).subscribe(recorder)
        probe.send(1)
        #expect(try Self.row(label).outstandingDemand == .max(4))
    }

    @Test("A subscription released without an end counts as abandoned")
    func countsAbandonedSubscriptions() throws {
        let label = "abandoned"
        let subject = ReleasingPublisher()
        subject.checkpoint(label).subscribe(RecordingSubscriber<Int, Never>())
        #expect(try Self.row(label).abandoned == 1)
        #expect(try Self.row(label).live == 0)
    }

    @Test("Every label of a call site has one row")
    func everyLabelHasOneRow() {
        for label in ["left", "right", "left"] {
            _ = Empty<Int, Never>().checkpoint(label)
        }
        #expect(Census.current.rows(labeled: "left").count == 1)
        #expect(Census.current.rows(labeled: "right").count == 1)
    }

    @Test("Subscriptions that end in any order are removed from the census")
    func removesSubscriptionsInAnyOrder() throws {
        let label = "any order"
        let subject = PassthroughSubject<Int, Never>()
        let stream = subject.checkpoint(label)
        let recorders = (0..<100).map { RecordingSubscriber<Int, Never>(initialDemand: .max($0 + 1)) }
        for recorder in recorders { stream.subscribe(recorder) }
        var demand = 5050
        for index in (0..<100).map({ ($0 * 37) % 100 }) {
            #expect(try Self.row(label).outstandingDemand == .max(demand))
            recorders[index].cancel()
            demand -= index + 1
        }
        #expect(try Self.row(label).live == 0)
    }

    @Test("The subscription's description is Checkpoint")
    func describesItsSubscription() {
        let recorder = RecordingSubscriber<Int, Never>()
        Empty<Int, Never>().checkpoint().subscribe(recorder)
        #expect(recorder.events == [.subscription("Checkpoint"), .completion(.finished)])
    }

    @Test("A labeled error describes its labels, the outermost first, and its underlying error")
    func labelsErrors() throws {
        let inner = Fail<Int, TestError>(error: .second).labelError("inner", fileID: "A/a.swift", line: 1)
        let outer = inner.labelError("outer", fileID: "B/b.swift", line: 2)
        let recorder = RecordingSubscriber<Int, LabeledError<LabeledError<TestError>>>()
        outer.subscribe(recorder)
        guard case .failure(let error) = recorder.completion else {
            Issue.record("the failure is missing")
            return
        }
        #expect(error.underlying.underlying == .second)
        #expect("\(error)" == "outer (B/b.swift:2): inner (A/a.swift:1): second")
    }
}

/// A publisher that delivers a subscription and releases its subscriber immediately.
private struct ReleasingPublisher: Publisher {
    typealias Output = Int
    typealias Failure = Never

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
        subscriber.receive(subscription: Subscriptions.empty)
    }
}
