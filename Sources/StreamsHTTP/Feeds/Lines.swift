import Streams

extension Publisher where Output == Data {
    /// Splits bytes into lines of text.
    ///
    /// ```
    /// ──"ab\nc"──"d\r\ne"──|
    ///   lines()
    /// ──"ab"─────"cd"──────"e"|
    /// ```
    ///
    /// A line ends with LF; a CR before it is dropped, and other line separators are ordinary characters. The last line
    /// may lack its line break. Invalid UTF-8 is replaced by U+FFFD.
    ///
    /// **Demand.** One chunk of bytes is requested when a line is requested and no line is left. With unlimited demand,
    /// all chunks are requested.
    ///
    /// **Completion.** A line that is longer than the limit fails the stream with
    /// ``FramingError/elementTooLarge(limit:)`` and cancels the upstream. A failure of the upstream is delivered
    /// unchanged, after the lines before it and without an unfinished one.
    ///
    /// **Cancellation** reaches the upstream at once. Lines that were not delivered are dropped.
    ///
    /// **Threads.** Lines are delivered on the thread of the upstream or of the request, one after the other.
    ///
    /// - Parameter maxLength: The maximum number of bytes of a line, without its line break.
    public func lines(maxLength: Int = 1 << 20) -> Operators.Lines<Self> {
        Operators.Lines(upstream: self, maxLength: maxLength)
    }
}

extension Operators {
    /// A publisher that splits bytes into lines of text.
    public struct Lines<Upstream: Publisher>: Publisher where Upstream.Output == Data {
        public typealias Output = String
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The maximum number of bytes of a line.
        public let maxLength: Int

        /// Creates a publisher that splits bytes into lines of text.
        public init(upstream: Upstream, maxLength: Int = 1 << 20) {
            self.upstream = upstream
            self.maxLength = Swift.max(maxLength, 0)
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            start(AnySubscriber(subscriber))
        }

        @usableFromInline
        func start(_ subscriber: AnySubscriber<String, any Error>) {
            let framing = LineFraming<String>(maxElementSize: maxLength)
            upstream.mapError { $0 as any Error }
                .subscribe(FramingSubscription("Lines", framing, downstream: subscriber))
        }
    }
}

extension Operators.Lines: Sendable where Upstream: Sendable {}
