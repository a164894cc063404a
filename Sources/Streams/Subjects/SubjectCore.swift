import Synchronization

/// The part that all subjects share: a queue-drain for the signals, the subscribers, and a log of the newest values.
///
/// `send` delivers at once unless another call is draining; otherwise its value waits in the queue. Subscribing,
/// requesting and cancelling are events in the same queue. So the list of subscribers and the log belong to the draining
/// thread, and a value needs neither a lock nor a copy of the list. Subscribers are served in the order in which they
/// subscribed.
///
/// The subjects differ in the values that they keep: ``PassthroughSubject`` keeps none, ``CurrentValueSubject`` the
/// newest, and ``ReplaySubject`` as many as it was created for.
@usableFromInline
final class SubjectCore<Output, Failure: Error> {
    @usableFromInline typealias Conduit = SubjectConduit<Output, Failure>

    @usableFromInline
    enum Event {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case attach(Conduit)
        /// The subscribing thread delivers the newest value itself.
        case serve(Conduit)
        /// The subscriber has received its subscription.
        case start(Conduit)
        /// A subscriber that has received its subscription has requested values, having no demand, or cancelled.
        case change(Conduit)
        /// The subject was released.
        case release
    }

    /// Handles that a subscriber has requested values or cancelled. A closure is specialised where the core is created;
    /// a method called dynamically would not be.
    @usableFromInline let onChange: (SubjectCore, Conduit) -> Void

    /// The description of the subscriptions.
    @usableFromInline let name: String

    @usableFromInline let completesAfterValues: Bool
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let upstreams = UpstreamSubscriptions()
    @usableFromInline let isFinished = Atomic<Bool>(false)

    // The following belong to the draining thread.
    @exclusivity(unchecked) @usableFromInline var conduits = SlotList<Conduit>()
    @exclusivity(unchecked) @usableFromInline var log: ValueLog<Output>

    /// Whether the subject was released, so that nothing more is sent.
    @exclusivity(unchecked) @usableFromInline var isReleased = false

    /// Set once, before `isFinished`, and constant from then on.
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?

    /// - Parameters:
    ///   - name: The description of the subscriptions.
    ///   - capacity: The number of values kept for subscribers that have not requested them in time.
    ///   - completesAfterValues: Whether a subscriber receives the values kept before the completion, also if it
    ///     subscribes later.
    @inlinable
    init(_ name: String, capacity: Int = 0, completesAfterValues: Bool = false) {
        self.name = name
        self.completesAfterValues = completesAfterValues
        log = ValueLog(capacity: capacity)
        onChange = { core, conduit in
            let reading = conduit.demand.reading
            // While the demand is withheld, the event `start` follows.
            if !reading.isWithheld { core.submit(.change(conduit)) }
            if !reading.isCancelled { core.upstreams.requestUnlimited() }
        }
    }

    /// Subscribes a subscriber. It receives its subscription on this thread, and what is sent meanwhile right after that.
    @inlinable
    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        if let conduit = attach(subscriber), !startIfIdle(conduit) { submit(.start(conduit)) }
    }

    /// Hands a subscription to a subscriber. The caller then submits the event `start`.
    ///
    /// - Returns: Nil if the subject had completed, so that the subscriber has received everything.
    @inlinable
    func attach<S: Subscriber>(_ subscriber: consuming S) -> Conduit? where S.Input == Output, S.Failure == Failure {
        if !completesAfterValues, isFinished.load(ordering: .acquiring), let completion {
            subscriber.receive(subscription: Subscriptions.empty)
            subscriber.receive(completion: completion)
            return nil
        }
        let needsEveryValue = subscriber.needsEveryValue
        let conduit = SubscriberConduit(core: self, to: subscriber)
        signals.perform({ add(conduit) }, orEnqueue: .attach(conduit)) { handle($0) }
        if needsEveryValue { conduit.request(.unlimited) }
        // The conduit's copy: another one would be a retain for each closure and link of the chain.
        conduit.recipient.receive(subscription: conduit)
        return conduit
    }

    @inlinable
    func send(_ value: Output) {
        _ = signals.perform({ broadcast(value) }, orEnqueue: .value(value)) { handle($0) }
    }

    /// Cancels the publishers that feed the subject, which was released, and releases the subscribers.
    @usableFromInline
    func subjectReleased() {
        upstreams.cancelAll()
        submit(.release)
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value):
            broadcast(value)
        case .completion(let completion):
            finish(completion)
        case .attach(let conduit):
            add(conduit)
        case .serve(let conduit):
            serve(conduit)
        case .start(let conduit):
            start(conduit)
        case .change(let conduit):
            let reading = conduit.demand.reading
            if reading.isCancelled {
                remove(conduit)
            } else {
                deliverUnread(to: conduit)
                _ = conclude(conduit)
            }
        case .release:
            isReleased = true
            for conduit in conduits.removeAll() where !conclude(conduit) { conduits.append(conduit) }
        }
    }

    @inlinable
    func broadcast(_ value: Output) {
        guard completion == nil else { return }
        log.append(value)
        withUnsafePointer(to: value) { pointer in
            conduits.forEach { conduit in
                if conduit.demand.reading == .flowing, conduit.unreadCount == 0 {
                    _ = conduit.onSignal(conduit, .value(pointer))
                } else {
                    offer(value, to: conduit)
                }
            }
        }
    }

    /// Delivers a value if there is demand for it. Not inlined, to keep values fast under unlimited demand.
    @inlinable
    @inline(never)
    func offer(_ value: Output, to conduit: Conduit) {
        let reading = conduit.demand.reading
        if reading.isCancelled { return }
        if reading.isWithheld {
            if reading.hasDemand { conduit.hasRequested = true }
            conduit.unreadCount = conduit.hasRequested ? conduit.unreadCount + 1 : log.keptCount
        } else if log.keptCount == 0 {
            if conduit.demand.takeOne() { conduit.deliver(value) }
        } else {
            conduit.unreadCount = min(conduit.unreadCount + 1, log.keptCount)
            deliverUnread(to: conduit)
        }
    }

    /// Delivers values of the log as far as there is demand.
    @inlinable
    func deliverUnread(to conduit: Conduit) {
        while conduit.unreadCount > 0, conduit.demand.takeOne() {
            let value = log[fromEnd: conduit.unreadCount]
            conduit.unreadCount -= 1
            if let value { conduit.deliver(value) }
        }
    }

    /// Adds a subscriber, and keeps all values from now on: those that are sent after its first request are for it.
    @inlinable
    func add(_ conduit: Conduit) {
        conduits.append(conduit)
        conduit.unreadCount = log.keptCount
        log.retain()
    }

    /// Starts a conduit unless another call is draining.
    ///
    /// - Returns: Whether it has been started.
    @inlinable
    @inline(never)
    func startIfIdle(_ conduit: Conduit) -> Bool {
        guard signals.enter() else { return false }
        start(conduit)
        signals.leave { handle($0) }
        return true
    }

    /// Makes the next value the first one for a subscriber whose own thread is delivering the newest value.
    @inlinable
    func serve(_ conduit: Conduit) {
        conduit.hasRequested = true
        conduit.unreadCount = 0
    }

    @inlinable
    func start(_ conduit: Conduit) {
        let isCancelled = conduit.demand.release().isCancelled
        if !isCancelled { deliverUnread(to: conduit) }
        log.release()
        if isCancelled { return remove(conduit) }
        conduit.unreadCount = min(conduit.unreadCount, log.keptCount)
        _ = conclude(conduit)
    }

    /// Removes and releases a subscriber that has cancelled.
    @inlinable
    func remove(_ conduit: Conduit) {
        _ = conduits.remove(at: conduit.place)
        _ = conduit.onSignal(conduit, .release)
    }

    @inlinable
    func finish(_ completion: Subscribers.Completion<Failure>) {
        guard self.completion == nil else { return }
        self.completion = completion
        isFinished.store(true, ordering: .releasing)
        for conduit in conduits.removeAll() where !conclude(conduit) { conduits.append(conduit) }
        upstreams.cancelAll()
    }

    /// Delivers the completion to a subscriber if there is nothing to come before it.
    @inlinable
    func conclude(_ conduit: Conduit) -> Bool {
        if isReleased, completion == nil { return abandon(conduit) }
        guard let completion, !conduit.demand.reading.isWithheld, !completesAfterValues || conduit.unreadCount == 0
        else { return false }
        _ = conduits.remove(at: conduit.place)
        if conduit.complete() {
            _ = withUnsafePointer(to: completion) { conduit.onSignal(conduit, .completion($0)) }
        }
        return true
    }

    /// Releases a subscriber, unless it has yet to request values that are kept for it: the subject was released before
    /// it completed, so that no other signal comes.
    @usableFromInline
    func abandon(_ conduit: Conduit) -> Bool {
        guard !conduit.demand.reading.isWithheld, conduit.unreadCount == 0 else { return false }
        _ = conduits.remove(at: conduit.place)
        if conduit.complete() { _ = conduit.onSignal(conduit, .abandon) }
        return true
    }
}

/// The newest values of a subject, as many as it keeps, or all that are sent while they are retained.
@usableFromInline
struct ValueLog<Output>: ~Copyable {
    @usableFromInline let capacity: Int
    @usableFromInline var retainCount = 0
    /// Apart from the others, so that a subject that keeps one value needs no queue.
    @usableFromInline var newest: Output?
    @usableFromInline var older = RingBuffer<Output>()

    @inlinable
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The number of values that stay when none are retained.
    @inlinable var keptCount: Int { min(count, capacity) }

    @inlinable var count: Int { newest == nil ? 0 : older.count + 1 }

    /// A value by its distance from the end: the newest value's is 1.
    @inlinable
    subscript(fromEnd distance: Int) -> Output? {
        distance == 1 ? newest : older[older.count + 1 - distance]
    }

    @inlinable
    mutating func append(_ value: Output) {
        if capacity == 1, retainCount == 0 {
            newest = value
        } else if capacity > 0 || retainCount > 0 {
            appendToQueue(value)
        }
    }

    @inlinable
    @inline(never)
    mutating func appendToQueue(_ value: Output) {
        if let newest { older.append(newest) }
        newest = value
        trim()
    }

    @inlinable
    mutating func retain() {
        retainCount += 1
    }

    @inlinable
    mutating func release() {
        retainCount -= 1
        trim()
    }

    @inlinable
    mutating func trim() {
        guard retainCount == 0 else { return }
        while !older.isEmpty, older.count >= capacity { older.popFirst() }
        if capacity == 0 { newest = nil }
    }
}

/// The subscriptions of the publishers that feed a subject.
///
/// All values are requested from them once a subscriber has requested any. They are cancelled and released when the
/// subject completes or is released.
@usableFromInline
struct UpstreamSubscriptions: ~Copyable {
    private struct State {
        var subscriptions: [any Subscription] = []
        var isRequested = false
        var isClosed = false
    }

    /// The same as in `state`, readable without a lock.
    private let isRequested = Atomic<Bool>(false)
    private let state = Locked(State())

    @usableFromInline
    init() {}

    @usableFromInline
    func add(_ subscription: any Subscription) {
        let before = state.withLock { state in
            let before = state
            if !before.isClosed {
                // A shared publisher that is connected and left for weeks would collect subscriptions that have ended.
                state.subscriptions.removeAll { ($0 as? UpstreamLink)?.isTerminal ?? false }
                state.subscriptions.append(subscription)
            }
            return before
        }
        if before.isClosed {
            subscription.cancel()
        } else if before.isRequested {
            subscription.request(.unlimited)
        }
    }

    /// Requests all values, also from subscriptions that are added later.
    @usableFromInline
    func requestUnlimited() {
        guard !isRequested.exchange(true, ordering: .relaxed) else { return }
        let before = state.withLock { state in
            state.isRequested = true
            return state
        }
        for subscription in before.subscriptions { subscription.request(.unlimited) }
    }

    /// Cancels and releases all subscriptions, also those that are added later.
    @usableFromInline
    func cancelAll() {
        let before = state.withLock { state in
            let before = state
            state.subscriptions = []
            state.isClosed = true
            return before
        }
        for subscription in before.subscriptions { subscription.cancel() }
    }
}
