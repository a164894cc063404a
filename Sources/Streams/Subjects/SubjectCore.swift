import Synchronization

/// What subjects share: a signals, and the list of those who are subscribed, which belongs to the signals's
/// owner.
///
/// `send` from any thread delivers directly if nobody else is delivering; otherwise its value waits its turn. Attaching
/// and detaching are events in the same queue, so the list never changes while it is being gone through, and a value
/// needs neither a lock nor a copy of the list. Subscribers are served in the order in which they subscribed.
@usableFromInline
final class SubjectCore<Output, Failure: Error, Memory>: AnySubjectCore
where Memory: SubjectMemory & ~Copyable, Memory.Output == Output {
    @usableFromInline typealias Conduit = SubjectConduit<Output, Failure>

    @usableFromInline
    enum Event {
        case value(Output, version: UInt64)
        case completion(Subscribers.Completion<Failure>)
        case attach(Conduit)
        case start(Conduit)
        /// With the value that was current as the subscriber asked. Not in the event itself, which is small without.
        indirect case demand(Conduit, current: SubjectValue<Output>)
        case detach(Conduit)
    }

    @usableFromInline let name: String
    @usableFromInline let signals = SerialDrain<Event>()
    @usableFromInline let upstreams = UpstreamSubscriptions()
    @usableFromInline let memory: Memory

    @exclusivity(unchecked) @usableFromInline var conduits = SlotList<Conduit>()

    /// The version of the last value whose turn has come. It belongs to the owner.
    @exclusivity(unchecked) @usableFromInline var handledVersion: UInt64 = 0

    /// Set once, before `isFinished`, and constant from then on.
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    @usableFromInline let isFinished = Atomic<Bool>(false)

    @inlinable
    init(_ name: String, memory: consuming Memory) {
        self.name = name
        self.memory = memory
        super.init { core, conduit, control in
            let core = unsafeDowncast(core, to: SubjectCore<Output, Failure, Memory>.self)
            let conduit = unsafeDowncast(conduit, to: SubjectConduit<Output, Failure>.self)
            switch control {
            case .demand(let isHeld): core.demandArrived(from: conduit, isHeld: isHeld)
            case .detach: core.submit(.detach(conduit))
            }
        }
    }

    /// Attaches a subscriber. It receives its subscription on this thread, from inside this call, and what arrives
    /// meanwhile right afterwards.
    @inlinable
    func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure {
        if isFinished.load(ordering: .acquiring), let completion {
            subscriber.receive(subscription: Subscriptions.empty)
            subscriber.receive(completion: completion)
            return
        }
        let conduit = SubjectConduitTo(name, core: self, to: subscriber)
        submit(.attach(conduit))
        subscriber.receive(subscription: conduit)
        if Memory.hasValue { conduit.deliverInitial() }
        submit(.start(conduit))
    }

    @inlinable
    func submit(_ event: Event) {
        signals.submit(event) { handle($0) }
    }

    @inlinable
    func broadcast(_ value: Output, version: UInt64) {
        handledVersion = version
        conduits.forEach { $0.offer(value, version: version) }
    }

    @inlinable
    func handle(_ event: Event) {
        switch event {
        case .value(let value, let version):
            broadcast(value, version: version)
        case .completion(let completion):
            finish(completion)
        case .attach(let conduit):
            if Memory.hasValue { conduit.missedVersion = handledVersion }
            if completion != nil {
                conduit.isCompletionHeld = true
            } else if !conduit.demand.reading.isCancelled {
                conduits.append(conduit)
            }
        case .start(let conduit):
            conduit.start(after: handledVersion)
            if let newest = memory.newest { catchUp(conduit, to: newest) }
            if conduit.isCompletionHeld, let completion { conduit.finish(completion) }
        case .demand(let conduit, let current):
            catchUp(conduit, to: current)
        case .detach(let conduit):
            _ = conduits.remove(at: conduit.place)
            conduit.leave()
        }
    }

    @inlinable
    func finish(_ completion: Subscribers.Completion<Failure>) {
        guard self.completion == nil else { return }
        self.completion = completion
        isFinished.store(true, ordering: .releasing)
        for conduit in conduits.removeAll() { conduit.finish(completion) }
        upstreams.cancelAll()
    }
}

extension SubjectCore where Memory: ~Copyable {
    /// A subscriber without demand has asked for values.
    @inlinable
    func demandArrived(from conduit: Conduit, isHeld: Bool) {
        upstreams.requestUnlimited()
        guard let current = memory.newest, !isHeld || !conduit.setInitial(current) else { return }
        if signals.enter() {
            catchUp(conduit, to: current)
            signals.leave { handle($0) }
        } else if signals.enqueue(.demand(conduit, current: current)) {
            signals.drain { handle($0) }
        }
    }

    /// Delivers a value that was current as the subscriber asked, if its turn was the last one and the subscriber
    /// missed it. For the owner.
    ///
    /// If its turn is still to come, the subscriber gets it then. If others have had theirs since, the subscriber got
    /// those.
    @inlinable
    func catchUp(_ conduit: Conduit, to current: SubjectValue<Output>) {
        guard current.version == handledVersion, conduit.missedVersion == handledVersion else { return }
        _ = conduit.deliverCounted(current.value)
    }
}

/// A value of a subject, and how many came before it.
@usableFromInline
struct SubjectValue<Output> {
    @usableFromInline var value: Output
    @usableFromInline var version: UInt64

    @inlinable
    init(value: Output, version: UInt64) {
        self.value = value
        self.version = version
    }

    @inlinable
    func isNewer(than other: UInt64?) -> Bool {
        other.map { version > $0 } ?? true
    }
}

/// What a subject keeps for those who have no demand, or are not there yet.
@usableFromInline
protocol SubjectMemory<Output>: ~Copyable {
    associatedtype Output

    /// Whether there is always a value to deliver.
    static var hasValue: Bool { get }

    /// The value that was sent last, though its turn to be delivered may not have come yet.
    var newest: SubjectValue<Output>? { get }
}

/// Keeps nothing.
@usableFromInline
struct NoMemory<Output>: SubjectMemory {
    @inlinable
    init() {}

    @inlinable static var hasValue: Bool { false }
    @inlinable var newest: SubjectValue<Output>? { nil }
}

/// Keeps the newest value, readable and changeable on any thread.
@usableFromInline
struct NewestValue<Output>: ~Copyable, SubjectMemory {
    @usableFromInline
    struct State {
        @usableFromInline var newest: SubjectValue<Output>
        @usableFromInline var isFinished = false

        @inlinable
        init(newest: SubjectValue<Output>) {
            self.newest = newest
        }

        /// - Returns: The value's version.
        @inlinable
        mutating func keep(_ value: Output) -> UInt64 {
            newest = SubjectValue(value: value, version: newest.version + 1)
            return newest.version
        }
    }

    @usableFromInline let state: Locked<State>

    @inlinable
    init(_ value: Output) {
        state = Locked(State(newest: SubjectValue(value: value, version: 0)))
    }

    @inlinable static var hasValue: Bool { true }
    @inlinable var newest: SubjectValue<Output>? { state.withLock { $0.newest } }
}

/// The subscriptions of publishers that feed a subject. They are asked for everything once a subscriber has asked for
/// anything, and cancelled and let go of when the subject completes or goes.
@usableFromInline
struct UpstreamSubscriptions: ~Copyable {
    struct State {
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
        // A shared stream that is left and joined for weeks would gather the subscriptions that are over.
        let before = state.withLock { state in
            let before = state
            if !before.isClosed {
                state.subscriptions.removeAll(where: \.isOver)
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

    /// Asks all of them for everything, those that come later too.
    @usableFromInline
    func requestUnlimited() {
        guard !isRequested.exchange(true, ordering: .relaxed) else { return }
        let waiting = state.withLock { state in
            state.isRequested = true
            return state
        }
        for subscription in waiting.subscriptions { subscription.request(.unlimited) }
    }

    /// Cancels and lets go of all of them, and of those that come later.
    @usableFromInline
    func cancelAll() {
        let cancelled = state.withLock { state in
            let all = state
            state.subscriptions = []
            state.isClosed = true
            return all
        }
        for subscription in cancelled.subscriptions { subscription.cancel() }
    }
}

extension Subscription {
    /// Whether it is known to have ended. One that waits for its upstream's subscription has not begun yet.
    fileprivate var isOver: Bool {
        (self as? UpstreamLink)?.isTerminal ?? false
    }
}
