import Streams
import StreamsTesting
import Testing

@Suite("prefix(while:) and tryPrefix(while:)")
struct PrefixWhileTests {
    @Test func cancelsAndFinishesAtTheFirstValueThatDoesNotSatisfyTheCondition() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(5))
        probe.prefix { $0 < 2 }.subscribe(recorder)
        probe.send(1)
        #expect(probe.send(2) == .none)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("PrefixWhile"), .value(1), .finished])
        #expect(probe.commands == [[.request(.max(5)), .cancel]])
    }

    @Test func failsWithTheThrownError() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, any Error>()
        probe.tryPrefix { _ in throw TestError.second }.subscribe(recorder)
        probe.send(1)
        probe.send(2)
        #expect(recorder.transcript == ["subscription TryPrefixWhile", "failure second"])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }
}
