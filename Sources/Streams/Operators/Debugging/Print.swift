extension Publisher {
    /// Prints a line for each signal that passes through, and changes nothing.
    ///
    /// ```
    /// ──1──2──|
    ///   print("log")
    /// ──1──2──|
    /// ```
    ///
    /// Each line is written before what it tells of is passed on. Lines written at once, by several threads or
    /// subscriptions, come one after another, and do not wait for each other. What comes after the end is printed and
    /// passed on as well: seeing that is what it is for.
    ///
    /// **Demand** passes through, and has lines of its own.
    ///
    /// **Completion** passes through.
    ///
    /// **Cancellation** passes through.
    ///
    /// **Threads.** Everything stays on the thread on which it comes. A line may be written by another one that is
    /// writing already.
    ///
    /// - Parameters:
    ///   - prefix: What each line begins with, if it is not empty.
    ///   - stream: Where the lines go, the standard output if nil. This publisher and its copies use it by one thread
    ///     at a time; one that others write to as well has to be safe for that.
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

        /// The publisher that this one subscribes to.
        public let upstream: Upstream

        /// Where the lines go, the standard output if nil.
        public let stream: (any TextOutputStream)?

        /// One for all subscriptions.
        @usableFromInline let printer: LinePrinter

        /// Makes the publisher; ``Publisher/print(_:to:)`` is the usual way to it.
        @inlinable
        public init(upstream: Upstream, prefix: String, to stream: (any TextOutputStream)? = nil) {
            self.upstream = upstream
            self.prefix = prefix
            self.stream = stream
            printer = LinePrinter(prefix: prefix, stream: stream)
        }

        @inlinable
        @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Inner(downstream: subscriber, printer: printer))
        }
    }
}

extension Publishers.Print {
    @usableFromInline
    struct Inner<Downstream: Subscriber>: LinkedSubscriber
    where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
        @usableFromInline let downstream: Downstream
        @usableFromInline let printer: LinePrinter
        @usableFromInline let link: PrintSubscription

        @inlinable
        init(downstream: Downstream, printer: LinePrinter) {
            self.downstream = downstream
            self.printer = printer
            link = PrintSubscription(printer: printer)
        }

        @inlinable
        func receive(subscription: any Subscription) {
            printer.print("receive subscription: (\(subscription))")
            if link.attach(subscription) { downstream.receive(subscription: link) }
        }

        @inlinable
        func receive(_ input: Upstream.Output) -> Subscribers.Demand {
            guard link.isActive else { return .none }
            printer.print("receive value: (\(input))")
            let additional = downstream.receive(input)
            if additional > .none { printer.print("\(LinePrinter.line(for: additional)) (synchronous)") }
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.complete() else { return }
            link.takePrinter()
            switch completion {
            case .finished: printer.print("receive finished")
            case .failure(let error): printer.print("receive error: (\(error))")
            }
            downstream.receive(completion: completion)
        }
    }
}

/// Writes lines to an output stream, one after another, from any thread.
@usableFromInline
// Safe because the destination belongs to the owner of the signals.
final class LinePrinter: @unchecked Sendable {
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
    private let lines = SerialDrain<String>()

    @usableFromInline
    init(prefix: String, stream: (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : "\(prefix): "
        destination = stream.map { .stream($0) } ?? .standardOutput
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
}

/// A link that prints requests and the cancellation until the stream has ended.
@usableFromInline
final class PrintSubscription: UpstreamLink {
    /// Released with the end of the stream, so that a subscription that is kept does not keep the output stream.
    private let printer: Locked<LinePrinter?>

    @usableFromInline
    init(printer: LinePrinter) {
        self.printer = Locked(printer)
        super.init()
    }

    @usableFromInline override var description: String { "Print" }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        printer.withLock { $0 }?.print(LinePrinter.line(for: demand))
        super.request(demand)
    }

    @usableFromInline
    override func cancel() {
        takePrinter()?.print("receive cancel")
        super.cancel()
    }

    /// Releases the printer.
    @usableFromInline
    @discardableResult
    func takePrinter() -> LinePrinter? {
        printer.withLock { $0.take() }
    }
}
