import Streams
import StreamsTesting
import Testing

/// An output stream that records its text.
private final class Lines: TextOutputStream, Sendable {
    private let written = Locked("")

    var text: String { written.withLock { $0 } }

    func write(_ string: String) {
        written.withLock { $0 += string }
    }
}

@Suite("print")
struct PrintTests {
    @Test func printsEachEventBeforePassingItOn() {
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

    @Test func printsThePrefixAndTheCancellation() {
        let lines = Lines()
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        PassthroughSubject<Int, Never>().print("log", to: lines).subscribe(recorder)
        recorder.request(.unlimited)
        recorder.cancel()
        let expected =
            "log: receive subscription: (PassthroughSubject)\nlog: request unlimited\nlog: receive cancel\n"
        #expect(lines.text == expected)
    }

    @Test func printsLinesOfSeveralThreadsOneAfterAnother() {
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

    @Test func anOutputStreamCanCancelTheSubscription() {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        let stream = ReactingStream { if $0.contains("request") { recorder.cancel() } }
        PassthroughSubject<Int, Never>().print(to: stream).subscribe(recorder)
        recorder.request(.max(1))
        #expect(stream.text == "receive subscription: (PassthroughSubject)\nrequest max: (1)\nreceive cancel\n")
    }

    @Test func printsLinesOfSeveralSubscriptionsOneAfterAnother() {
        let (first, second) = (
            RecordingSubscriber<Int, Never>(initialDemand: .none), RecordingSubscriber<Int, Never>(initialDemand: .none)
        )
        let stream = ReactingStream { if $0 == "request max: (1)" { second.request(.max(2)) } }
        let printed = PassthroughSubject<Int, Never>().print(to: stream)
        printed.subscribe(first)
        printed.subscribe(second)
        first.request(.max(1))
        #expect(stream.text.hasSuffix("request max: (1)\nrequest max: (2)\n"))
        #expect(!stream.isUsedTwiceAtOnce)
    }

    @Test func printsNoLineForADemandOfZero() {
        let lines = Lines()
        let probe = ProbePublisher<Int, Never>(retention: .always)
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .none)
        probe.print(to: lines).subscribe(recorder)
        recorder.request(.none)
        probe.send(1)
        #expect(lines.text == "receive subscription: (Probe)\nreceive value: (1)\n")
        #expect(probe.commands == [[]])
    }

    @Test func printsTheDemandThatOutputAtReturns() {
        let lines = Lines()
        _ = (0..<5).publisher.print(to: lines).output(at: 2).sink { _ in }
        let expected = [
            "receive subscription: (0..<5)", "request unlimited", "receive value: (0)",
            "request max: (1) (synchronous)", "receive value: (1)", "request max: (1) (synchronous)",
            "receive value: (2)", "receive cancel",
        ]
        #expect(lines.text.split(separator: "\n").map(String.init) == expected)
    }

    @Test func printsNothingAfterTheEnd() {
        let lines = Lines()
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        probe.print(to: lines).subscribe(recorder)
        probe.send(completion: .finished)
        probe.send(1)
        probe.send(completion: .failure(.first))
        recorder.request(.max(1))
        recorder.cancel()
        #expect(lines.text == "receive subscription: (Probe)\nreceive finished\n")
        #expect(recorder.events == [.subscription("Print"), .finished])
    }

    @Test func anOutputStreamCanCancelAtAValue() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(demandPerValue: .max(1))
        let stream = ReactingStream { if $0.contains("value") { recorder.cancel() } }
        probe.print(to: stream).subscribe(recorder)
        #expect(probe.send(1) == .none)
        #expect(recorder.events == [.subscription("Print")])
        #expect(probe.commands == [[.request(.unlimited), .cancel]])
    }

    @Test func anOutputStreamCanCancelAtTheCompletion() {
        let probe = ProbePublisher<Int, TestError>(retention: .always)
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: .none)
        let stream = ReactingStream { if $0.contains("finished") { recorder.cancel() } }
        probe.print(to: stream).subscribe(recorder)
        probe.send(completion: .finished)
        #expect(recorder.events == [.subscription("Print")])
    }

    @Test func releasesTheOutputStreamWhileTheSubscriptionIsKept() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = RecordingSubscriber<Int, Never>()
        let attach: (LifetimeToken) -> Void = { token in
            subject.print(to: ReactingStream { _ in _ = token }).subscribe(recorder)
        }
        attach(lifetimes.token("stream"))
        #expect(lifetimes.alive == ["stream"])
        subject.send(completion: .finished)
        #expect(lifetimes.alive == [])
    }
}

/// An output stream that calls a closure with its text.
private final class ReactingStream: TextOutputStream {
    private let react: (String) -> Void
    private var isWriting = false
    private(set) var text = ""
    private(set) var isUsedTwiceAtOnce = false

    init(react: @escaping (String) -> Void) {
        self.react = react
    }

    func write(_ string: String) {
        if isWriting { isUsedTwiceAtOnce = true }
        isWriting = true
        text += string
        react(string)
        isWriting = false
    }
}
