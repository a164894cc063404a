import Streams

extension TestScheduler {
    /// Asserts that a publisher does what a diagram shows.
    ///
    /// ```swift
    /// let scheduler = TestScheduler()
    /// let keys = try scheduler.hot("-a-b---c--|", values: ["a": "s", "b": "st", "c": "str"])
    /// let late = keys.delay(for: 2, scheduler: scheduler)
    /// try scheduler.expect(late, "---a-b---c--|", values: ["a": "s", "b": "st", "c": "str"])
    /// ```
    ///
    /// Subscribes now, which is frame zero, asks for everything, and moves the clock to the end of the diagram, so that
    /// dashes at its end say that nothing more comes; it then stands just before the frame that would be next. At a `!`
    /// the subscription is cancelled, after what is due then. What happens between two frames counts for the first of
    /// them.
    ///
    /// - Parameters:
    ///   - publisher: What is to be tested, on this scheduler.
    ///   - diagram: In the notation of ``Marbles``. What stands before a `^` is not compared.
    ///   - frame: How long a character lasts.
    ///   - values: The value of each character.
    ///   - error: What `#` stands for.
    /// - Throws: ``MarblesMismatch`` if something else happened, ``MarblesError`` if the diagram is not one.
    public func expect<P: Publisher>(
        _ publisher: P, _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: P.Output],
        error: P.Failure
    ) throws where P.Output: Equatable, P.Failure: Equatable {
        let recording = try record(publisher, through: Marbles(diagram), frame: frame)
        try recording.compare(values: values, error: error)
    }

    /// Asserts that a publisher that cannot fail does what a diagram shows.
    ///
    /// - Throws: As above.
    public func expect<P: Publisher>(
        _ publisher: P, _ diagram: String, frame: SchedulerTimeType.Stride = 1, values: [Character: P.Output]
    ) throws where P.Output: Equatable, P.Failure == Never {
        let recording = try record(publisher, through: Marbles(diagram), frame: frame)
        try recording.compare(values: values, error: nil)
    }

    private func record<P: Publisher>(
        _ publisher: P, through diagram: Marbles, frame: SchedulerTimeType.Stride
    ) throws -> MarbleRecording<P.Output, P.Failure> {
        let drawn = Marbles(moments: diagram.moments.filter { $0.frame >= 0 }, frameCount: diagram.frameCount)
        let recording = MarbleRecording<P.Output, P.Failure>(drawn, scheduler: self, frame: frame)
        let start = now
        publisher.subscribe(recording)
        for moment in drawn.moments where moment.mark == .cancellation {
            schedule(after: start.advanced(by: frame.times(moment.frame))) { recording.cancel(at: moment.frame) }
        }
        let length = frame.times(drawn.frameCount) - .nanoseconds(1)
        advance(to: start.advanced(by: max(length, 0)))
        recording.end()
        return recording
    }
}
