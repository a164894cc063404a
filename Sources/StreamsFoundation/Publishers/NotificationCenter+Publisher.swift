#if !canImport(Darwin)
import Foundation
import Streams

extension NotificationCenter {
    /// Publishes notifications as they are posted.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: The sender of the notifications, nil for any sender. The publisher keeps it alive.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
        NotificationCenter.Publisher(center: self, name: name, object: object)
    }

    /// A publisher of the notifications that are posted, on the thread that posts them.
    ///
    /// **Demand.** A subscriber without demand misses the notification.
    ///
    /// **Threads.** A notification that is posted during the delivery of another one, on any thread, is delivered after
    /// it.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Notification
        public typealias Failure = Never

        /// The notification center.
        public let center: NotificationCenter

        /// The name of the notifications.
        public let name: Notification.Name

        /// The sender of the notifications, nil for any sender.
        public let object: AnyObject?

        /// Creates a publisher of notifications. Call `NotificationCenter.publisher(for:object:)` instead.
        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
            let observation = Observation(of: self, downstream: subscriber)
            observation.start()
            subscriber.receive(subscription: observation)
        }
    }
}

extension NotificationCenter.Publisher: Equatable {
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.center === rhs.center && lhs.name == rhs.name && lhs.object === rhs.object
    }
}

/// A subject that serialises notifications posted on several threads.
private final class PostedNotifications: @unchecked Sendable {
    // Safe because the subject is thread-safe, and one thread at a time uses a notification.
    let subject = PassthroughSubject<Notification, Never>()
}

/// A receiver of notifications, erased over its subscriber.
private protocol NotificationTarget: AnyObject, Sendable {
    func deliver(_ notification: Notification)
}

/// The subscription of one subscriber. The notification center does not keep it alive.
// Safe because a lock guards all mutable state, and the subject serialises the calls of the downstream.
private final class Observation<Downstream: Subscriber>: Subscription, NotificationTarget, CustomStringConvertible,
    CustomReflectable, CustomPlaygroundDisplayConvertible, @unchecked Sendable
where Downstream.Input == Notification, Downstream.Failure == Never {
    private struct State {
        var publisher: NotificationCenter.Publisher?
        var downstream: Downstream?
        var demand = Subscribers.Demand.none
        var token: (any NSObjectProtocol)?
        var delivery: AnyCancellable?
    }

    private let state: Locked<State>
    private let posted = PostedNotifications()

    init(of publisher: NotificationCenter.Publisher, downstream: Downstream) {
        // Notifications that come between two requests are dropped, unless the subscriber needs every value.
        let demand = downstream.needsEveryValue ? Subscribers.Demand.unlimited : .none
        state = Locked(State(publisher: publisher, downstream: downstream, demand: demand))
    }

    deinit {
        cancel()
    }

    func start() {
        guard let publisher = state.withLock({ $0.publisher }) else { return }
        let target: any NotificationTarget = self
        let delivery = posted.subject.sink { [weak target] in target?.deliver($0) }
        let token = publisher.center.addObserver(
            forName: publisher.name, object: publisher.object, queue: nil,
            using: { [posted] in posted.subject.send($0) })
        state.withLock { state in
            state.token = token
            state.delivery = delivery
        }
    }

    func deliver(_ notification: Notification) {
        let downstream = state.withLock { state -> Downstream? in
            guard state.demand > .none else { return nil }
            state.demand -= 1
            return state.downstream
        }
        guard let downstream else { return }
        let additional = downstream.receive(notification)
        if additional > .none { request(additional) }
    }

    func request(_ demand: Subscribers.Demand) {
        state.withLock { $0.demand += demand }
    }

    func cancel() {
        let ended = state.withLock { state in
            let ended = state
            state = State()
            return ended
        }
        ended.delivery?.cancel()
        if let publisher = ended.publisher, let token = ended.token { publisher.center.removeObserver(token) }
    }

    var description: String { "NotificationCenter Observer" }
    var playgroundDescription: Any { description }

    var customMirror: Mirror {
        let state = state.withLock { $0 }
        return Mirror(
            self,
            children: [
                "center": state.publisher?.center as Any, "name": state.publisher?.name as Any,
                "object": state.publisher?.object as Any, "demand": state.demand,
            ])
    }
}
#endif
