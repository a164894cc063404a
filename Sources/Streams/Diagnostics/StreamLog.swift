import Synchronization

/// Hears of the beginnings and ends of watched streams, as a program does that logs them.
///
/// ```swift
/// let logging = StreamLog.observe { entry in
///     if case .failed = entry.event { logger.error("\(entry)") }
/// }
/// ```
///
/// A failure comes with the label of each ``Publisher/checkpoint(_:fileID:line:)`` it passes, the innermost first.
public enum StreamLog {
    /// What became of a watched subscription.
    public enum Event: Sendable {
        /// Somebody has subscribed. It is told before the subscription is passed on.
        case started
        /// The stream finished. It is told before the completion is passed on.
        case finished
        /// The stream failed with this. It is told before the failure is passed on.
        case failed(any Error)
        /// The subscriber cancelled.
        case cancelled

        /// Everybody let go of it without an end.
        case abandoned

        init(_ ending: SubscriptionOutcome) {
            switch ending {
            case .finished: self = .finished
            case .failed(let error): self = .failed(error)
            case .cancelled: self = .cancelled
            case .abandoned: self = .abandoned
            }
        }
    }

    /// One event of one subscription.
    public struct Entry: Sendable {
        /// Where the stream is watched.
        public let callSite: CallSite
        /// What happened.
        public let event: Event

        /// How many values had gone by.
        public let values: Int

        /// For how long the subscription had been there.
        public let age: Duration
    }

    /// Has every event of every watched stream reported from now on.
    ///
    /// Nothing is kept: without an observer, an event costs a look at whether there is one.
    ///
    /// - Parameter observer: Called on the thread on which the event happens, outside any lock, a failure and a finish
    ///   before they are passed on. It should be quick, for the stream waits. It may use streams itself, but is also
    ///   told of those it watches.
    /// - Returns: Ends the observation when it is cancelled or released.
    public static func observe(_ observer: @escaping @Sendable (Entry) -> Void) -> AnyCancellable {
        let registration = Registration(observer)
        registrations.withLock { $0.append(registration) }
        isObserved.store(true, ordering: .relaxed)
        return AnyCancellable {
            let removed = registrations.withLock { registrations in
                let index = registrations.firstIndex { $0 === registration }
                let removed = index.map { registrations.remove(at: $0) }
                isObserved.store(!registrations.isEmpty, ordering: .relaxed)
                return removed
            }
            withExtendedLifetime(removed) {}
        }
    }

    static func report(_ event: Event, of counters: SubscriptionCounters, at site: ObservedSite) {
        guard isObserved.load(ordering: .relaxed) else { return }
        let entry = Entry(callSite: site.callSite, event: event, values: counters.valueCount, age: counters.age)
        for registration in registrations.withLock({ $0 }) { registration.observer(entry) }
    }

    private final class Registration: Sendable {
        let observer: @Sendable (Entry) -> Void

        init(_ observer: @escaping @Sendable (Entry) -> Void) {
            self.observer = observer
        }
    }

    /// The same as whether there are registrations, readable without a lock. Written under the lock.
    private static let isObserved = Atomic<Bool>(false)
    private static let registrations = Locked<[Registration]>([])
}

extension StreamLog.Entry: CustomStringConvertible {
    /// One line: `orders (Shop/Orders.swift:42) failed after 384 values: connection reset`.
    public var description: String {
        switch event {
        case .started: "\(callSite) started"
        case .finished: "\(callSite) finished after \(values) values"
        case .failed(let error): "\(callSite) failed after \(values) values: \(error)"
        case .cancelled: "\(callSite) was cancelled after \(values) values"
        case .abandoned: "\(callSite) was abandoned after \(values) values"
        }
    }
}

/// How a watched subscription ended.
@usableFromInline
enum SubscriptionOutcome: Sendable {
    case finished
    case failed(any Error)
    case cancelled

    /// Upstream let go of it without a completion, and nobody holds the subscription any more.
    case abandoned
}
