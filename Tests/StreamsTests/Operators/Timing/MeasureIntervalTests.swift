import Streams
import StreamsTesting
import Testing

@Suite("measureInterval", .timeLimit(.minutes(15)))
struct MeasureIntervalTests {
    let scheduler = TestScheduler()

    @Test func measuresFromTheSubscriptionAndFromValueToValue() {
        let probe = ProbePublisher<String, TestError>()
        let recorder = RecordingSubscriber<TestScheduler.SchedulerTimeType.Stride, TestError>(
            initialDemand: .max(2), demandPerValue: .max(1))
        let publisher = probe.measureInterval(using: scheduler)
        scheduler.advance(by: .seconds(10))
        publisher.subscribe(recorder)
        for pause in [2, 0, 6] {
            scheduler.advance(by: .seconds(pause))
            probe.send("value")
        }
        probe.send(completion: .failure(.first))
        #expect(recorder.values == [.seconds(2), .seconds(0), .seconds(6)])
        #expect(recorder.completion == .failure(.first))
        #expect(recorder.events.first == .subscription("MeasureInterval"))
        #expect(probe.requests == [.max(2), .max(1), .max(1), .max(1)])
    }

    @Test func cancellationReachesTheUpstream() {
        let probe = ProbePublisher<String, Never>(retention: .always)
        let recorder = RecordingSubscriber<TestScheduler.SchedulerTimeType.Stride, Never>()
        probe.measureInterval(using: scheduler).subscribe(recorder)
        recorder.cancel()
        probe.send("value")
        probe.send(completion: .finished)
        #expect(probe.cancellations == 1)
        #expect(recorder.events == [.subscription("MeasureInterval")])
    }
}
