import Streams

extension Publisher where Output == Data {
    /// Decodes each line of bytes, such as those of JSON lines (`application/x-ndjson`).
    ///
    /// ```
    /// ──"{}\n{"──"}\n?\n"──|
    ///   decode(eachLineAs: Item.self)
    /// ──a────────b──✕ DecodingError
    /// ```
    ///
    /// Lines end with LF, and the last one may lack it. Lines of white space are ignored.
    ///
    /// **Completion.** An error of the decoder cancels the upstream and becomes the failure.
    ///
    /// Demand, cancellation and threads, and other failures, are like those of ``Publisher/lines(maxLength:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the decoded values.
    ///   - decoder: A decoder, shared by all subscriptions and used on the thread that delivers the value.
    ///   - maxLength: The maximum number of bytes of a line, without its line break.
    public func decode<Value: Decodable, Decoder: DataDecoder>(
        eachLineAs type: Value.Type, using decoder: Decoder = JSONDecoder(), maxLength: Int = 1 << 20
    ) -> Operators.DecodeLines<Self, Value, Decoder> {
        Operators.DecodeLines(upstream: self, decoder: decoder, maxLength: maxLength)
    }
}

extension Operators {
    /// A publisher that decodes each line of bytes.
    public struct DecodeLines<Upstream: Publisher, Output: Decodable, Decoder: DataDecoder>: Publisher
    where Upstream.Output == Data {
        public typealias Failure = any Error

        /// The upstream publisher.
        public let upstream: Upstream

        /// The decoder of the lines.
        public let decoder: Decoder

        /// The maximum number of bytes of a line.
        public let maxLength: Int

        /// Creates a publisher that decodes each line of bytes.
        public init(upstream: Upstream, decoder: Decoder, maxLength: Int = 1 << 20) {
            self.upstream = upstream
            self.decoder = decoder
            self.maxLength = Swift.max(maxLength, 0)
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            ContentLines(upstream: upstream, maxLength: maxLength)
                .decode(type: Output.self, decoder: decoder)
                .receive(subscriber: subscriber)
        }
    }
}

extension Operators.DecodeLines: Sendable where Upstream: Sendable {}

/// A publisher of the lines that are not white space alone.
private struct ContentLines<Upstream: Publisher>: Publisher where Upstream.Output == Data {
    typealias Output = Data
    typealias Failure = any Error

    let upstream: Upstream
    let maxLength: Int

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let framing = CompactMapFraming(base: LineFraming<Data>(maxElementSize: maxLength)) { line in
            line.allSatisfy(\.isJSONWhitespace) ? nil : line
        }
        upstream.mapError { $0 as any Error }
            .subscribe(FramingSubscription("DecodeLines", framing, downstream: AnySubscriber(subscriber)))
    }
}
