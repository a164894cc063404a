import Streams
import StreamsTesting
import Testing

/// An output stream that keeps what it is told.
private final class Lines: TextOutputStream, Sendable {
    private let written = Locked("")

    var text: String { written.withLock { $0 } }

    func write(_ string: String) {
        written.withLock { $0 += string }
    }
}

@Suite("print, breakpoint and assertNoFailure")
struct PrintTests {
    @Test func printsEverySignalBeforeItIsPassedOn() {
        let lines = Lines()
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(
            initialDemand: .max(2), demandForValue: { value in value == 1 ? .max(3) : .unlimited }
        ) { _, event in
            guard let value = event.value else { return }
            lines.write("value \(value)\n")
        }
        probe.print(to: lines).subscribe(recorder)
        probe.send(1)
        probe.send(2)
        probe.send(completion: .failure(.first))
        #expect(recorder.events == [.subscription("Print"), .value(1), .value(2), .failure(.first)])
        #expect(probe.commands == [[.request(.max(2))]])
        let expected = [
            "receive subscription: (Probe)", "request max: (2)", "receive value: (1)", "value 1",
            "request max: (3) (synchronous)", "receive value: (2)", "value 2", "request unlimited (synchronous)",
            "receive error: (first)",
        ]
        #expect(lines.text.split(separator: "\n").map(String.init) == expected)
    }

    @Test func printsAPrefixAndCancellation() {
        let lines = Lines()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        PassthroughSubject<Int, Never>().print("log", to: lines).subscribe(recorder)
        recorder.request(.unlimited)
        recorder.cancel()
        let expected =
            "log: receive subscription: (PassthroughSubject)\nlog: request unlimited\nlog: receive cancel\n"
        #expect(lines.text == expected)
    }

    @Test func linesFromSeveralThreadsComeOneAfterAnother() {
        let lines = Lines()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        PassthroughSubject<Int, Never>().print(to: lines).subscribe(recorder)
        concurrently(4) { _ in
            for _ in 0..<100 { recorder.request(.max(7)) }
        }
        let requests = lines.text.split(separator: "\n").dropFirst()
        #expect(requests.count == 400)
        #expect(requests.allSatisfy { $0 == "request max: (7)" })
    }

    @Test func aStreamMayUseWhatItPrints() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let curious = CuriousStream { if $0.contains("request") { recorder.cancel() } }
        PassthroughSubject<Int, Never>().print(to: curious).subscribe(recorder)
        recorder.request(.max(1))
        #expect(curious.text == "receive subscription: (PassthroughSubject)\nrequest max: (1)\nreceive cancel\n")
    }

    @Test("Lines of several subscriptions come one after another")
    func subscriptionsTakeTurns() {
        let (first, second) = (
            RecordingSubscriber<Int, Never>(initialDemand: .none), RecordingSubscriber<Int, Never>(initialDemand: .none)
        )
        let curious = CuriousStream { if $0 == "request max: (1)" { second.request(.max(2)) } }
        let printed = PassthroughSubject<Int, Never>().print(to: curious)
        printed.subscribe(first)
        printed.subscribe(second)
        first.request(.max(1))
        #expect(curious.text.hasSuffix("request max: (1)\nrequest max: (2)\n"))
        #expect(!curious.isUsedTwiceAtOnce)
    }

    @Test func breakpointsThatAreNotHitPassEverythingOn() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .max(2))
        probe.breakpoint(
            receiveSubscription: { _ in false }, receiveOutput: { $0 == 7 }, receiveCompletion: { $0 == .finished }
        ).subscribe(recorder)
        probe.send(1)
        probe.send(completion: .failure(.first))
        #expect(recorder.values == [1])
        #expect(recorder.completion == .failure(.first))
        #expect(probe.commands == [[.request(.max(2))]])
    }

    @Test func breakpointStopsTheProcess() async {
        await #expect(processExitsWith: .failure) {
            _ = [1, 2].publisher.breakpoint(receiveOutput: { $0 == 2 }).sink { _ in }
        }
        await #expect(processExitsWith: .failure) {
            _ = Fail<Int, TestError>(error: .first).breakpointOnError().sink { _ in
            } receiveValue: { _ in
            }
        }
        await #expect(processExitsWith: .success) {
            _ = [1, 2].publisher.breakpointOnError().sink { _ in }
        }
    }

    @Test func assertNoFailureStopsTheProcessOnFailureAlone() async {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.setFailureType(to: TestError.self).assertNoFailure().subscribe(recorder)
        #expect(recorder.values == [1, 2])
        #expect(recorder.completion == .finished)
        await #expect(processExitsWith: .failure) {
            _ = Fail<Int, TestError>(error: .first).assertNoFailure("impossible").sink { _ in }
        }
    }
}

/// An output stream that acts on what it is told.
private final class CuriousStream: TextOutputStream {
    private let act: (String) -> Void
    private var isWriting = false
    private(set) var text = ""
    private(set) var isUsedTwiceAtOnce = false

    init(act: @escaping (String) -> Void) {
        self.act = act
    }

    func write(_ string: String) {
        if isWriting { isUsedTwiceAtOnce = true }
        isWriting = true
        text += string
        act(string)
        isWriting = false
    }
}
