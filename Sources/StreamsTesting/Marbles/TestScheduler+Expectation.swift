import Streams

extension TestScheduler {
    /// Asserts that a publisher's signals match a diagram.
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let keys = try scheduler.hot("-a-b---c--|", values: ["a": "s", "b": "st", "c": "str"])
    /// let late = keys.delay(for: 2, scheduler: scheduler)
    /// try scheduler.expect(late, "---a-b---c--|", values: ["a": "s", "b": "st", "c": "str"])
    /// ```
    ///
    /// Subscribes at frame zero with unlimited demand and moves the clock to the end of the diagram, just before the
    /// next frame. Trailing dashes assert that no more signals arrive. A `!` cancels the subscription after the signals
    /// that are due in its frame. A signal between two frames belongs to the first one.
    ///
    /// - Parameters:
    ///   - publisher: The publisher to test, on this scheduler.
    ///   - diagram: A diagram in the notation of ``Marbles``. Signals before `^` are not compared.
    ///   - frame: The duration of a character.
    ///   - values: The value of each character.
    ///   - error: The error of `#`.
    /// - Throws: ``MarblesMismatch`` if the signals differ, ``MarblesError`` if the diagram is invalid.
    public func expect<P: Publisher>(
        _ publisher: P, _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: P.Output],
        error: P.Failure
    ) throws where P.Output: Equatable, P.Failure: Equatable {
        let recorder = try record(publisher, through: Marbles(diagram), frame: frame)
        try recorder.compare(values: values, error: error)
    }

    /// Asserts that the signals of a publisher that cannot fail match a diagram.
    ///
    /// - Parameters:
    ///   - publisher: The publisher to test, on this scheduler.
    ///   - diagram: A diagram in the notation of ``Marbles``. Signals before `^` are not compared.
    ///   - frame: The duration of a character.
    ///   - values: The value of each character.
    /// - Throws: ``MarblesMismatch`` if the signals differ, ``MarblesError`` if the diagram is invalid.
    public func expect<P: Publisher>(
        _ publisher: P, _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: P.Output]
    ) throws where P.Output: Equatable, P.Failure == Never {
        let recorder = try record(publisher, through: Marbles(diagram), frame: frame)
        try recorder.compare(values: values, error: nil)
    }

    private func record<P: Publisher>(
        _ publisher: P, through diagram: Marbles, frame: SchedulerTimeType.Stride
    ) throws -> MarbleRecorder<P.Output, P.Failure> {
        let drawn = Marbles(moments: diagram.moments.filter { $0.frame >= 0 }, frameCount: diagram.frameCount)
        let recorder = MarbleRecorder<P.Output, P.Failure>(drawn, scheduler: self, frame: frame)
        let start = now
        publisher.subscribe(recorder)
        for moment in drawn.moments where moment.mark == .cancellation {
            schedule(after: start.advanced(by: frame.times(moment.frame))) { recorder.cancel(at: moment.frame) }
        }
        let length = frame.times(drawn.frameCount) - .nanoseconds(1)
        advance(to: start.advanced(by: max(length, 0)))
        recorder.end()
        return recorder
    }
}
