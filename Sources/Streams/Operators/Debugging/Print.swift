extension Publisher {
    /// Prints a line for each signal, each request and the cancellation that pass through.
    ///
    /// ```
    /// ──1──2──|
    ///   print("log")
    /// ──1──2──|
    /// ```
    ///
    /// Each line is printed before its event is passed on. Lines of several threads or subscriptions are printed one
    /// after another, without blocking a thread. The completion and the cancellation pass through.
    ///
    /// **Demand.** A demand returned for a value is printed with "(synchronous)". A demand of zero is not printed.
    ///
    /// **Threads.** A thread that is printing also prints the lines of other threads.
    ///
    /// - Parameters:
    ///   - prefix: The beginning of each line.
    ///   - stream: The output stream, nil for the standard output. This publisher and its copies use it serially.
    @inlinable
    public func print(_ prefix: String = "", to stream: (any TextOutputStream)? = nil) -> Publishers.Print<Self> {
        Publishers.Print(upstream: self, prefix: prefix, to: stream)
    }
}

extension Publishers {
    /// A publisher that prints a line for each signal, each request and the cancellation that pass through.
    public struct Print<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        /// The beginning of each line.
        public let prefix: String

        /// The upstream publisher.
        public let upstream: Upstream

        /// The output stream, or nil for the standard output.
        public let stream: (any TextOutputStream)?

        /// Shared by all subscriptions.
        @usableFromInline let printer: LinePrinter

        /// Creates a publisher that prints a line for each event of another one.
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
        @usableFromInline let link: HandleEventsLink

        @inlinable
        init(downstream: Downstream, printer: LinePrinter) {
            self.downstream = downstream
            self.printer = printer
            link = HandleEventsLink(
                "Print",
                receiveCancel: { printer.print("receive cancel") },
                receiveRequest: { printer.print(LinePrinter.line(for: $0)) })
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
            // The output stream may have cancelled.
            guard link.isActive else { return .none }
            let additional = downstream.receive(input)
            if additional > .none { printer.print("\(LinePrinter.line(for: additional)) (synchronous)") }
            return additional
        }

        @inlinable
        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            guard link.isActive, link.endReports() else { return }
            switch completion {
            case .finished: printer.print("receive finished")
            case .failure(let error): printer.print("receive error: (\(error))")
            }
            // The output stream may have cancelled.
            if link.complete() { downstream.receive(completion: completion) }
        }
    }
}

/// Prints lines to an output stream one after another, from any thread.
@usableFromInline
// Safe because the stream belongs to the draining thread.
final class LinePrinter: @unchecked Sendable {
    /// A wrapper around an output stream of any type, since `Swift.print` needs one of a certain type.
    private struct AnyOutputStream: TextOutputStream {
        var base: any TextOutputStream

        mutating func write(_ string: String) {
            base.write(string)
        }
    }

    private let prefix: String
    private let lines = SerialDrain<String>()

    /// Belongs to the draining thread. The standard output if nil.
    private var stream: AnyOutputStream?

    @usableFromInline
    init(prefix: String, stream: (any TextOutputStream)?) {
        self.prefix = prefix.isEmpty ? "" : "\(prefix): "
        self.stream = stream.map { AnyOutputStream(base: $0) }
    }

    /// Prints a line, now or from the thread that is printing already.
    @usableFromInline
    func print(_ line: String) {
        lines.submit(prefix + line) { line in
            if var stream {
                Swift.print(line, to: &stream)
                self.stream = stream
            } else {
                Swift.print(line)
            }
        }
    }

    @usableFromInline
    static func line(for demand: Subscribers.Demand) -> String {
        demand.max.map { "request max: (\($0))" } ?? "request unlimited"
    }
}
