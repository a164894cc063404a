#if !canImport(Darwin)
import Foundation
import Streams

extension NotificationCenter {
    /// Delivers notifications as they are posted.
    ///
    /// - Parameters:
    ///   - name: The name of the notifications.
    ///   - object: Whose notifications to deliver, everybody's if nil. The publisher keeps it.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
        NotificationCenter.Publisher(center: self, name: name, object: object)
    }

    /// Delivers notifications as they are posted, on the thread that posts them.
    ///
    /// **Demand.** A notification that is posted while a subscriber wants none does not reach that subscriber.
    ///
    /// **Threads.** A notification posted while another one is being delivered, on another thread or by the subscriber
    /// itself, is delivered after it.
    public struct Publisher: Streams.Publisher {
        public typealias Output = Notification
        public typealias Failure = Never

        /// Where the notifications are posted.
        public let center: NotificationCenter

        /// The name of the notifications.
        public let name: Notification.Name

        /// Whose notifications are delivered, everybody's if nil.
        public let object: AnyObject?

        /// Makes the publisher; `NotificationCenter.publisher(for:object:)` is the usual way to it.
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

/// Makes serial what is posted on several threads.
private final class PostedNotifications: @unchecked Sendable {
    // Safe because the subject is, and a notification is delivered on the thread that posts it or handed over as a
    // whole.
    let subject = PassthroughSubject<Notification, Never>()
}

/// What takes in notifications, whatever the subscriber.
private protocol NotificationTarget: AnyObject, Sendable {
    func deliver(_ notification: Notification)
}

/// The subscription of one subscriber, which ends with it: the center does not keep it.
// Safe because what changes is behind a lock, and the downstream is called by the subject only, which makes serial what
// is posted on several threads.
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
        state = Locked(State(publisher: publisher, downstream: downstream))
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
