import Streams
import StreamsTesting
import Testing

private enum Refusal: Error {
    case expected
    case other
}

@Suite("Publishers from marbles, and expectations")
struct MarbleExpectationTests {
    private let scheduler = TestScheduler()
    private let values: [Character: Int] = ["a": 1, "b": 2, "c": 3]

    @Test("A cold publisher plays from each subscription")
    func cold() throws {
        let cold = try scheduler.cold("-a(bc)-|", values: values)
        try scheduler.expect(cold, "-a(bc)-|", values: values)
        try scheduler.expect(cold, "-a(bc)-|--", values: values)
    }

    @Test("A hot publisher plays once, and those who come later have missed what was")
    func hot() throws {
        let hot = try scheduler.hot("-a-b-c#", values: values, error: Refusal.expected)
        scheduler.advance(by: 2.5)
        try scheduler.expect(hot, "b-c#", values: values, error: .expected)
    }

    @Test("A frame may last as long as one likes")
    func frameLength() throws {
        let cold = try scheduler.cold("-a-|", frame: .milliseconds(10), values: values)
        try scheduler.expect(
            cold.delay(for: .milliseconds(20), scheduler: scheduler), "---a-|", frame: .milliseconds(10), values: values
        )
    }

    @Test("A subscription is cancelled where the diagram says so")
    func cancellation() throws {
        let probe = ProbePublisher<Int, Never>()
        try scheduler.expect(probe, "--!--", values: values)
        #expect(probe.cancellations == 1)
        let cold = try scheduler.cold("abc", values: values)
        try scheduler.expect(cold, "a(b!)-", values: values)
    }

    @Test("A cold publisher keeps what is not asked for, completion last")
    func demand() throws {
        let recorder = RecordingSubscriber<Int, Never>(initialDemand: .max(1))
        try scheduler.cold("(abc|)", values: values).subscribe(recorder)
        scheduler.advance()
        #expect(recorder.values == [1])
        recorder.request(.max(2))
        #expect(recorder.values == [1, 2, 3])
        #expect(recorder.completion == .finished)
        #expect(recorder.violations == [])
    }

    @Test("A cancelled cold subscription lets go of its subscriber")
    func release() throws {
        let lifetimes = LifetimeTracker()
        do {
            let recorder = RecordingSubscriber<Int, Never>()
            lifetimes.watch(recorder, as: "subscriber")
            try scheduler.cold("a---|", values: values).subscribe(recorder)
            recorder.cancel()
        }
        try lifetimes.expectReleased()
    }

    @Test("A difference shows both diagrams, aligned")
    func mismatch() throws {
        let cold = try scheduler.cold("--a(bc)--|", values: values)
        let error = #expect(throws: MarblesMismatch.self) {
            try scheduler.expect(cold, "--a-(b|)-", values: values)
        }
        let expected = """
            expected: --a-   (b|)-
            actual:   --a(bc)-   -
                         ↑   ↑
            """
        #expect(error?.description == expected)
    }

    @Test("Values without a character and another error are explained")
    func remarks() throws {
        let stream = [1, 42].publisher.setFailureType(to: Refusal.self).append(Fail(error: .other))
        let error = #expect(throws: MarblesMismatch.self) {
            try scheduler.expect(stream, "(ab#)", values: values, error: .expected)
        }
        let expected = """
            expected: (ab#)
            actual:   (a①#)
                      ↑
            ① is 42
            # is other, not expected
            """
        #expect(error?.description == expected)
    }

    @Test("Another error alone is a difference")
    func wrongError() {
        #expect(throws: MarblesMismatch.self) {
            try scheduler.expect(Fail<Int, Refusal>(error: .other), "#", values: values, error: .expected)
        }
    }

    @Test("A character without a meaning is turned down")
    func undefined() {
        let value = #expect(throws: UndefinedMarble.self) { try scheduler.cold("-x", values: values) }
        #expect(value?.character == "x")
        let failure = #expect(throws: UndefinedMarble.self) { try scheduler.hot("-#", values: values) }
        #expect(failure?.character == "#")
    }
}
