import Synchronization

/// The log of the beginnings and ends of observed streams.
///
/// ```swift
/// let logging = StreamLog.observe { entry in
///     if case .failed = entry.event { logger.error("\(entry)") }
/// }
/// ```
///
/// A failure is reported with the label of each ``Publisher/checkpoint(_:fileID:line:)`` that it passes, the innermost first.
public enum StreamLog {
    /// An event of an observed subscription.
    public enum Event: Sendable {
        /// A subscription was made. It is reported before it is passed on.
        case started
        /// The stream finished. It is reported before the completion is passed on.
        case finished
        /// The stream failed. It is reported before the failure is passed on.
        case failed(any Error)
        /// The subscriber cancelled.
        case cancelled

        /// The subscription was released without an end.
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
        /// The call site.
        public let callSite: CallSite
        /// The event.
        public let event: Event

        /// The number of values so far.
        public let values: Int

        /// The age of the subscription.
        public let age: Duration
    }

    /// Reports every event of every observed stream from now on.
    ///
    /// Without an observer an event costs one atomic load. Entries are not stored.
    ///
    /// - Parameter observer: A closure called outside any lock on the thread of the event, before a completion is passed on. The
    ///   stream waits for it. It may use streams itself, and receives their events too.
    /// - Returns: The observation, which ends when it is cancelled or released.
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

    /// Whether there are registrations, readable without the lock. Written under it.
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

/// The end of an observed subscription.
@usableFromInline
enum SubscriptionOutcome: Sendable {
    case finished
    case failed(any Error)
    case cancelled

    /// The upstream and the subscriber have released the subscription without an end.
    case abandoned
}
