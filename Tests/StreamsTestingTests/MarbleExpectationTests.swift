import Streams
import StreamsTesting
import Testing

private enum TestError: Error {
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

    @Test("A hot publisher plays once, and later subscribers miss earlier signals")
    func hot() throws {
        let hot = try scheduler.hot("-a-b-c#", values: values, error: TestError.expected)
        scheduler.advance(by: 2.5)
        try scheduler.expect(hot, "b-c#", values: values, error: .expected)
    }

    @Test("A frame has any duration")
    func frameLength() throws {
        let cold = try scheduler.cold("-a-|", frame: .milliseconds(10), values: values)
        try scheduler.expect(
            cold.delay(for: .milliseconds(20), scheduler: scheduler), "---a-|", frame: .milliseconds(10), values: values
        )
    }

    @Test("A `!` cancels the subscription")
    func cancellation() throws {
        let probe = ProbePublisher<Int, Never>()
        try scheduler.expect(probe, "--!--", values: values)
        #expect(probe.cancellations == 1)
        let cold = try scheduler.cold("abc", values: values)
        try scheduler.expect(cold, "a(b!)-", values: values)
    }

    @Test("A cold publisher keeps values until they are requested, and its completion is last")
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

    @Test("A cancelled cold subscription releases its subscriber")
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

    @Test("An error shows both diagrams, aligned")
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

    @Test("An error explains values without a character and an unexpected error")
    func remarks() throws {
        let stream = [1, 42].publisher.setFailureType(to: TestError.self).append(Fail(error: .other))
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

    @Test("An unexpected error throws")
    func wrongError() {
        #expect(throws: MarblesMismatch.self) {
            try scheduler.expect(Fail<Int, TestError>(error: .other), "#", values: values, error: .expected)
        }
    }

    @Test("A character without a value throws")
    func undefined() {
        let value = #expect(throws: UndefinedMarble.self) { try scheduler.cold("-x", values: values) }
        #expect(value?.character == "x")
        let failure = #expect(throws: UndefinedMarble.self) { try scheduler.hot("-#", values: values) }
        #expect(failure?.character == "#")
    }
}
