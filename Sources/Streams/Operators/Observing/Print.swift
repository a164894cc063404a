extension Publisher {
    /// Prints a line for each signal that passes through, and changes nothing.
    ///
    /// ```
    /// ──1──2──|
    ///   print("log")
    /// ──1──2──|
    /// ```
    ///
    /// Demand and cancellation pass through, and have lines of their own. Each line is written before what it tells of is
    /// passed on. Lines written from several threads at once come one after another, and do not wait for each other. What
    /// comes after the end is printed and passed on as well: seeing that is what it is for.
    ///
    /// - Parameters:
    ///   - prefix: What each line begins with, if it is not empty.
    ///   - stream: Where the lines go, the standard output if nil. It is used by one thread at a time.
    @inlinable
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
        Publishers.Print(upstream: self, prefix: prefix, to: stream)
    }
}

extension Publishers {
    /// The publisher that ``Publisher/print(_:to:)`` makes.
    public struct Print<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// What each line begins with.
        public let prefix: String

        public let upstream: Upstream

        /// Where the lines go, the standard output if nil.
        public let stream: (any TextOutputStream)?

        @inlinable
        public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
            self.upstream = upstream
            self.prefix = prefix
            self.stream = stream
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let link = PrintLink(prefix: prefix, stream: stream, keeping: foreignObject(subscriber))
            upstream.subscribe(Inner(downstream: subscriber, link: link))
        }
    }
}

extension Publishers.Print {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let link: PrintLink

        @inlinable
        init(downstream: Downstream, link: PrintLink) {
            self.downstream = downstream
            self.link = link
        }

        @inlinable
        func receive(subscription: any Subscription) {
            link.print("receive subscription: (\(subscription))")
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            link.print("receive value: (\(input))")
            let additional = downstream.receive(input)
            link.print("\(PrintLink.line(for: additional)) (synchronous)")
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            switch completion {
            case .finished: link.print("receive finished")
            case .failure(let error): link.print("receive error: (\(error))")
            }
            _ = link.finishOpen()
            downstream.receive(completion: completion)
        }
    }
}

/// A link that prints what goes through it.
@usableFromInline
// Safe because the destination belongs to the owner of the serialiser.
final class PrintLink: UpstreamLink, @unchecked Sendable {
    private enum Destination {
        case standardOutput
        case stream(any TextOutputStream)

        mutating func print(_ line: String) {
            switch self {
            case .standardOutput:
                Swift.print(line)
            case .stream(let stream):
                var writer = Writer(stream: stream)
                Swift.print(line, to: &writer)
                self = .stream(writer.stream)
            }
        }
    }

    /// An output stream of unknown type, for the function that prints.
    private struct Writer: TextOutputStream {
        var stream: any TextOutputStream

        mutating func write(_ string: String) {
            stream.write(string)
        }
    }

    private let prefix: String
    @exclusivity(unchecked) private var destination: Destination
    private let lines = Serialiser<String>()

    @usableFromInline
    init(prefix: String, stream: (any TextOutputStream)?, keeping subscriber: AnyObject?) {
        self.prefix = prefix.isEmpty ? "" : "\(prefix): "
        destination = stream.map { .stream($0) } ?? .standardOutput
        super.init("Print", keeping: subscriber)
    }

    /// Prints a line. A stream that is busy is not waited for: whoever uses it prints this line too.
    @usableFromInline
    func print(_ line: String) {
        lines.submit(prefix + line) { destination.print($0) }
    }

    @usableFromInline
    static func line(for demand: Subscribers.Demand) -> String {
        demand.max.map { "request max: (\($0))" } ?? "request unlimited"
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        print(Self.line(for: demand))
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        print("receive cancel")
        super.cancel()
    }
}
