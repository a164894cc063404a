extension Publisher {
    /// Transforms each value into an asynchronous sequence and publishes the elements of all of them.
    ///
    /// ```
    /// ──1─────────2─────────|
    ///   asyncFlatMap { lines(ofFile: $0) }
    /// ────a──b──────c──d──e──|
    /// ```
    ///
    /// Otherwise like ``flatMap(maxPublishers:_:)-60vvr``. The elements of one sequence stay in order.
    ///
    /// - Parameters:
    ///   - maxConcurrent: The largest number of sequences that are iterated at a time.
    ///   - transform: A closure that returns the sequence of a value.
    @preconcurrency
    public func asyncFlatMap<Elements: AsyncSequence & Sendable>(
        maxConcurrent: Int = 1, _ transform: @escaping @Sendable (Output) -> Elements
    ) -> Publishers.FlatMap<Operators.AsyncSequence<Elements>, Self>
    where Elements.Element: Sendable, Elements.Failure == Failure {
        flatMap(maxPublishers: .max(maxConcurrent)) { Operators.AsyncSequence(transform($0)) }
    }
}
