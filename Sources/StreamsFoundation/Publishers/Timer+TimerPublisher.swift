#if !canImport(Darwin)
import Foundation
import Streams

extension Timer {
    /// Creates a publisher of the current time at every interval. It starts when it is connected.
    ///
    /// ```swift
    /// let watching = Timer.publish(every: 1, on: .main, in: .default)
    ///     .autoconnect()
    ///     .sink { print($0) }
    /// ```
    ///
    /// In the mode `.default` or `.common`, a timer of the main run loop is run by the main dispatch queue. So it fires
    /// in a program with an asynchronous `main` too, in which nothing runs the main run loop on Linux.
    ///
    /// - Parameters:
    ///   - interval: The seconds between two values.
    ///   - tolerance: Ignored, as in Combine. Pass it to ``TimerPublisher/init(interval:tolerance:runLoop:mode:options:)``.
    ///   - runLoop: The run loop that runs the timer and delivers the values.
    ///   - mode: The run loop mode of the timer.
    ///   - options: Settings for the scheduler.
    public static func publish(
        every interval: TimeInterval,
        tolerance: TimeInterval? = nil,
        on runLoop: RunLoop,
        in mode: RunLoop.Mode,
        options: RunLoop.SchedulerOptions? = nil
    ) -> TimerPublisher {
        TimerPublisher(interval: interval, runLoop: runLoop, mode: mode, options: options)
    }

    /// A publisher of the current time at every interval, to all subscribers, while it is connected.
    ///
    /// **Demand.** A subscriber without demand misses the value.
    ///
    /// **Connections.** All connections share one timer. The first connection starts it, and the cancellation of any
    /// connection ends it. The publisher can then be connected again.
    public final class TimerPublisher: ConnectablePublisher, @unchecked Sendable {
        public typealias Output = Date
        public typealias Failure = Never

        // Safe because the subject is thread-safe, a lock guards the timer, and the run loop is only used to add timers.

        /// The seconds between two values.
        public let interval: TimeInterval

        /// The number of seconds by which a value may be late, nil for the timer's default.
        public let tolerance: TimeInterval?

        /// The run loop that runs the timer and delivers the values.
        public let runLoop: RunLoop

        /// The run loop mode of the timer.
        public let mode: RunLoop.Mode

        /// Settings for the scheduler.
        public let options: RunLoop.SchedulerOptions?

        private let subject = PassthroughSubject<Date, Never>()
        private let running = Locked<RunningTimer?>(nil)

        /// Creates a publisher without a timer. Call `Timer.publish(every:on:in:)` instead.
        public init(
            interval: TimeInterval,
            tolerance: TimeInterval? = nil,
            runLoop: RunLoop,
            mode: RunLoop.Mode,
            options: RunLoop.SchedulerOptions? = nil
        ) {
            self.interval = interval
            self.tolerance = tolerance
            self.runLoop = runLoop
            self.mode = mode
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Date, S.Failure == Never {
            subject.subscribe(Inner(downstream: subscriber))
        }

        public func connect() -> any Cancellable {
            let candidate = RunningTimer()
            let connection = running.withLock { running in
                if let running, running.isValid { return running }
                running = candidate
                return candidate
            }
            if connection === candidate {
                candidate.start {
                    // Without a date, Foundation's timer fires at once on Linux.
                    runLoop.startTimer(
                        at: Date(timeIntervalSinceNow: interval), interval: interval, tolerance: tolerance, mode: mode
                    ) { [subject] in
                        subject.send(Date())
                    }
                }
            }
            return connection
        }
    }
}

extension Timer.TimerPublisher {
    private struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Date, Downstream.Failure == Never {
        let downstream: Downstream
        let combineIdentifier = CombineIdentifier()

        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: TimerSubscription(base: subscription))
        }

        func receive(_ input: Date) -> Subscribers.Demand {
            downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Never>) {
            downstream.receive(completion: completion)
        }
    }
}

/// A subscription without a description, as in Combine.
private final class TimerSubscription: Subscription {
    private let base: any Subscription

    init(base: any Subscription) {
        self.base = base
    }

    func request(_ demand: Subscribers.Demand) {
        base.request(demand)
    }

    func cancel() {
        base.cancel()
    }
}
#endif
