#if !canImport(Darwin)
import Foundation
import Streams

extension Timer {
    /// Sends the time, again and again, once it is connected, the first time after an interval.
    ///
    /// ```swift
    /// let watching = Timer.publish(every: 1, on: .main, in: .default)
    ///     .autoconnect()
    ///     .sink { print($0) }
    /// ```
    ///
    /// - Parameters:
    ///   - interval: The seconds between two values.
    ///   - tolerance: Not handed on, as in Combine. ``TimerPublisher/init(interval:tolerance:runLoop:mode:options:)`` takes one.
    ///   - runLoop: Where the timer runs and values are delivered.
    ///   - mode: The mode of the run loop that the timer runs in.
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

    /// Sends the time to all subscribers, for as long as it is connected.
    ///
    /// **Demand.** A time that comes while a subscriber wants none does not reach that subscriber.
    ///
    /// **Connections.** There is one timer, which the first connection starts and the cancellation of any ends. What has ended
    /// can be connected again.
    public final class TimerPublisher: ConnectablePublisher, @unchecked Sendable {
        public typealias Output = Date
        public typealias Failure = Never

        // Safe because nothing here changes but the subject, which may be used on any thread, and the timer, which is behind a
        // lock; a run loop is only handed timers.

        /// The seconds between two values.
        public let interval: TimeInterval

        /// By how many seconds a value may be late, as little as possible if nil.
        public let tolerance: TimeInterval?

        /// Where the timer runs and values are delivered.
        public let runLoop: RunLoop

        /// The mode of the run loop that the timer runs in.
        public let mode: RunLoop.Mode

        /// Settings for the scheduler.
        public let options: RunLoop.SchedulerOptions?

        private let subject = PassthroughSubject<Date, Never>()
        private let running = Locked<RunningTimer?>(nil)

        /// Makes the publisher; `Timer.publish(every:on:in:)` is the usual way to it. The timer is not made before it
        /// is connected.
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
            // Made with the interval alone, Foundation's timer fires at once here.
            let firstDate = Date(timeIntervalSinceNow: interval)
            let timer = Timer(fire: firstDate, interval: interval, repeats: true) { [subject] _ in
                subject.send(Date())
            }
            if let tolerance { timer.tolerance = tolerance }
            let candidate = RunningTimer(timer: timer)
            let connection = running.withLock { running in
                if let running, running.isValid { return running }
                running = candidate
                return candidate
            }
            // One that was cancelled meanwhile does not fire.
            if connection === candidate { runLoop.add(timer, forMode: mode) }
            return connection
        }
    }
}

extension Timer.TimerPublisher {
    private struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Date, Downstream.Failure == Never {
        let downstream: Downstream
        let combineIdentifier = CombineIdentifier()

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

/// A subject's subscription without its name: Combine's timer subscriptions have none.
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
