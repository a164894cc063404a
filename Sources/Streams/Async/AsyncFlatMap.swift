extension Publisher {
    /// Turns every value into an asynchronous sequence, and delivers the elements of these as they come.
    ///
    /// ```
    /// ──1─────────2─────────|
    ///   asyncFlatMap { lines(ofFile: $0) }
    /// ────a──b──────c──d──e──|
    /// ```
    ///
    /// It is ``flatMap(maxPublishers:_:)-60vvr`` for sequences: demand, completion and cancellation are the same.
    /// Elements of one sequence stay in order.
    ///
    /// - Parameters:
    ///   - maxConcurrent: How many sequences are iterated at a time at most.
    ///   - transform: Called with each value, on the thread that delivers it.
    @preconcurrency
    public func asyncFlatMap<Elements: AsyncSequence & Sendable>(
        maxConcurrent: Int = 1,
        _ transform: @escaping @Sendable (Output) -> Elements
    ) -> Publishers.FlatMap<Operators.AsyncSequence<Elements>, Self>
    where Elements.Element: Sendable, Elements.Failure == Failure {
        flatMap(maxPublishers: .max(maxConcurrent)) { Operators.AsyncSequence(transform($0)) }
    }
}
