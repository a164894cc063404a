import Synchronization

/// The half of an operator that faces its subscriber: the subscription handed downstream, holding the one from
/// upstream.
///
/// An operator consists of two objects. Values flow through a plain struct of constants that the source holds (an
/// `Inner`), requests and cancellation flow back through a link. The link does not use the downstream, so there is no
/// cycle among operators for the completion to break, a subscription that somebody keeps keeps neither upstream nor
/// closures alive once the stream has ended, and values flow without locks, without reference counting and without the
/// checks that variables of classes need. What it does hold, as Combine's subscriptions do, is a subscriber that is an
/// object of somebody else's, but only until the completion or the cancellation (rule 6).
///
/// Operators with state of their own put it in a subclass; only the upstream's serial signals touch it.
///
/// `request`, `cancel` and everything else here may be called from any thread at any time. The upstream is called and
/// released outside the lock.
@usableFromInline
class UpstreamLink: Canceller, Subscription, BackpressureTraits, CustomStringConvertible, CustomReflectable,
    CustomPlaygroundDisplayConvertible
{
    @usableFromInline
    enum Phase: UInt8, AtomicRepresentable {
        case awaiting
        case active
        case terminal
    }

    /// What there was before the stream ended.
    private struct Past {
        var upstream: (any Subscription & AnyObject)?
        var phase: Phase
        var kept: AnyObject?

        /// Whether there was neither completion nor cancellation before.
        var wasOpen: Bool { upstream != nil || phase == .awaiting }
    }

    /// Links are many, so they are kept small: these four share one word.
    private final let lock = Locked(())

    /// Readable without a lock. Written under it.
    @usableFromInline final let phase = Atomic<Phase>(.awaiting)
    @usableFromInline final let rules: LinkRules

    /// Combine's name for the operator.
    @usableFromInline final let name: OperatorName

    /// The upstream's subscription, from `attach` until the stream ends. It belongs to the lock.
    @exclusivity(unchecked) private final var current: (any Subscription & AnyObject)?

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - rules: What stops the program, or counts, out of turn.
    @usableFromInline
    init(_ name: OperatorName, rules: LinkRules = []) {
        self.name = name
        self.rules = rules
        super.init()
    }

    /// Whether signals from upstream are to be passed on: there was a subscription, and neither completion nor
    /// cancellation since. One plain load, cheap enough to ask before every value.
    @inlinable
    final var isActive: Bool { phase.load(ordering: .relaxed) == .active }

    /// Whether there was neither completion nor cancellation yet, though perhaps no subscription either. For
    /// subscribers that take what they are given by hand.
    @inlinable
    final var isOpen: Bool { phase.load(ordering: .relaxed) != .terminal }

    /// Runs code of a subclass under the lock, see `Locked`.
    final func withLock<Result>(_ body: () -> Result) -> Result {
        lock.withLock { _ in body() }
    }

    /// Takes in the upstream's subscription. A second one, or one that comes after cancellation, is cancelled.
    ///
    /// - Returns: Whether the subscription was taken, and the link is to be handed downstream.
    @usableFromInline
    final func attach(_ subscription: any Subscription) -> Bool {
        let reference = subscription._reference
        let isTaken = lock.withLock { _ in
            guard phase.load(ordering: .relaxed) == .awaiting else { return false }
            current = reference
            phase.store(.active, ordering: .relaxed)
            return true
        }
        if !isTaken { subscription.cancel() }
        return isTaken
    }

    /// Notes the upstream's completion and lets go of its subscription.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was active.
    @usableFromInline
    final func finish() -> Bool {
        if rules.contains(.subscriptionFirst) { requireSubscription() }
        return terminate().upstream != nil
    }

    /// Answers a value that comes while the link is not active.
    @usableFromInline
    final func refuse() -> Subscribers.Demand {
        if rules.contains(.subscriptionFirst) { requireSubscription() }
        return .none
    }

    /// Notes the upstream's completion, and keeps its subscription until `finish()` for a subscriber that is told
    /// later: as in Combine, its requests and its cancellation go there until then.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was active.
    @usableFromInline
    final func noteCompletion() -> Bool {
        lock.withLock { _ in
            guard isActive else { return false }
            phase.store(.terminal, ordering: .relaxed)
            return true
        }
    }

    /// Notes the completion, also one without a subscription before it.
    ///
    /// - Returns: Whether the completion is to be passed on, because the link was open.
    @usableFromInline
    final func finishOpen() -> Bool {
        terminate().wasOpen
    }

    /// Ends the stream from here: lets go of the upstream's subscription.
    ///
    /// - Returns: The subscription, to be cancelled, if the link was active.
    @usableFromInline
    final func detach() -> (any Subscription)? {
        unboxed(terminate().upstream)
    }

    /// Ends the stream from here: cancels the upstream and lets go of its subscription.
    ///
    /// - Returns: Whether a completion may be delivered downstream, because the link was active.
    @usableFromInline
    @discardableResult
    final func cancelUpstream() -> Bool {
        guard let upstream = terminate().upstream else { return false }
        upstream.cancel()
        return true
    }

    /// Ends the stream from here, also before there is a subscription.
    ///
    /// - Returns: Whether a completion may be delivered downstream, because the link was open.
    @usableFromInline
    final func cancelOpen() -> Bool {
        let before = terminate()
        before.upstream?.cancel()
        return before.wasOpen
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        if rules.contains(.noEmptyRequests) {
            precondition(demand > .none, "a source must be asked for at least one value")
        }
        if rules.contains(.subscriptionFirst) { requireSubscription() }
        reference?.request(demand)
    }

    @usableFromInline
    override func cancel() {
        cancelUpstream()
    }

    /// Answers the cancellation of the receiving half: there is nothing to cancel yet before it has a subscription.
    @usableFromInline
    final func cancelInTurn() {
        if rules.contains(.cancelsAhead) || phase.load(ordering: .relaxed) != .awaiting { cancel() }
    }

    @usableFromInline var dropsUnrequestedValues: Bool {
        Streams.dropsUnrequestedValues(upstream)
    }

    @usableFromInline
    func keepUnrequestedValues() {
        // Where values are dropped already, all that is between there and here has to know that they are asked for.
        if dropsUnrequestedValues {
            request(.unlimited)
        } else {
            Streams.keepUnrequestedValues(upstream)
        }
    }

    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: children) }
    @usableFromInline var playgroundDescription: Any { description }

    /// What mirrors show.
    @usableFromInline var children: [Mirror.Child] { [] }

    /// The subscriber, where it is to live as long as the stream goes on. It belongs to the lock.
    @usableFromInline var keptSubscriber: AnyObject? {
        get { nil }
        set {}
    }

    /// The subscriber while the stream goes on, if it is kept.
    @usableFromInline final var subscriber: AnyObject? { lock.withLock { _ in keptSubscriber } }

    /// The upstream's subscription while the stream goes on.
    @usableFromInline final var upstream: (any Subscription)? { unboxed(reference) }

    private var reference: (any Subscription & AnyObject)? { lock.withLock { _ in current } }

    private func requireSubscription() {
        precondition(phase.load(ordering: .relaxed) != .awaiting, "a subscription comes before anything else")
    }

    private func terminate() -> Past {
        var past = lock.withLock { _ in
            let past = Past(upstream: current.take(), phase: phase.load(ordering: .relaxed), kept: keptSubscriber)
            keptSubscriber = nil
            phase.store(.terminal, ordering: .relaxed)
            return past
        }
        // Here rather than wherever the upstream is done with.
        past.kept = nil
        return past
    }
}

/// The receiving half of an operator: it shows itself by one word, and nothing of its inside unless it says what.
@usableFromInline
protocol NamedSubscriber: Subscriber, CustomStringConvertible, CustomReflectable, CustomPlaygroundDisplayConvertible {
    var name: OperatorName { get }
}

extension NamedSubscriber {
    @usableFromInline var description: String { name.description }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
    @usableFromInline var playgroundDescription: Any { description }
}

/// The receiving half of an operator that hands its subscriber the upstream's subscription as it is.
///
/// Such halves are many, and have no object of their own: they go by their subscriber's identifier, one step further
/// up.
@usableFromInline
protocol PassingSubscriber: NamedSubscriber {
    associatedtype Downstream: Subscriber

    var downstream: Downstream { get }
}

extension PassingSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { downstream.combineIdentifier.oneStepUp }
}

/// The receiving half of an operator whose own subscription is an ``UpstreamLink``: named and identified by it.
///
/// It passes for a subscription too, as in Combine, where one object is both.
@usableFromInline
protocol LinkedSubscriber: NamedSubscriber, Subscription {
    associatedtype Link: UpstreamLink

    var link: Link { get }
}

extension LinkedSubscriber {
    @inlinable var combineIdentifier: CombineIdentifier { link.combineIdentifier }
    @usableFromInline var name: OperatorName { link.name }
    @usableFromInline var customMirror: Mirror { Mirror(self, children: link.children) }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        link.request(demand)
    }

    @usableFromInline
    func cancel() {
        link.cancelInTurn()
    }
}

/// The subscriber if it is an object that is none of this library's operators: what a subscription keeps alive.
@inlinable
func foreignObject<S: Subscriber>(_ subscriber: S) -> AnyObject? {
    S.self is AnyObject.Type && !(subscriber is any NamedSubscriber) ? subscriber as AnyObject : nil
}

/// A link with what few links have: a subscriber to keep alive, and something to show.
@usableFromInline
class KeepingLink: UpstreamLink {
    @exclusivity(unchecked) private final var held: AnyObject?
    private final let portrait: LinkPortrait?
    /// Whether the upstream has been asked for anything. It belongs to the lock.
    @exclusivity(unchecked) private final var isAsked = false

    /// - Parameters:
    ///   - name: Combine's name for the operator.
    ///   - subscriber: What is to live as long as the stream goes on, see ``foreignObject(_:)``.
    ///   - rules: What stops the program, or counts, out of turn.
    ///   - portrait: What mirrors of both halves of the operator show. Nothing, if there is none.
    @usableFromInline
    init(
        _ name: OperatorName, keeping subscriber: AnyObject? = nil, rules: LinkRules = [], portrait: LinkPortrait? = nil
    ) {
        held = subscriber
        self.portrait = portrait
        super.init(name, rules: rules)
    }

    @usableFromInline
    override func request(_ demand: Subscribers.Demand) {
        if portrait != nil { withLock { isAsked = true } }
        super.request(demand)
    }

    /// Reads what values from upstream change, as long as none can come, because none has been asked for.
    ///
    /// - Parameter read: Called under the lock.
    @usableFromInline
    final func whileUnasked<Result>(_ read: () -> Result) -> Result? {
        withLock { isAsked ? nil : read() }
    }

    @usableFromInline override final var keptSubscriber: AnyObject? {
        get { held }
        set { held = newValue }
    }

    @usableFromInline override final var children: [Mirror.Child] { portrait?.children(self) ?? [] }
}

extension UpstreamLink {
    /// A link that keeps a subscriber and shows something, if there is such; see ``KeepingLink``.
    @usableFromInline
    static func keeping(
        _ subscriber: AnyObject?, _ name: OperatorName, rules: LinkRules = [], portrait: LinkPortrait? = nil
    ) -> UpstreamLink {
        if subscriber == nil, portrait == nil { return UpstreamLink(name, rules: rules) }
        return KeepingLink(name, keeping: subscriber, rules: rules, portrait: portrait)
    }
}

/// How an operator answers what is out of turn, where Combine's operators differ.
@usableFromInline
struct LinkRules: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt8

    @inlinable
    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A value, a completion or a request that comes before the subscription stops the program.
    @inlinable static var subscriptionFirst: Self { Self(rawValue: 1) }

    /// A cancellation that comes before the subscription cancels it when it comes.
    @inlinable static var cancelsAhead: Self { Self(rawValue: 2) }

    /// To be asked for nothing stops the program.
    @inlinable static var noEmptyRequests: Self { Self(rawValue: 4) }

    /// What the filtering operators that have a link of their own go by.
    @inlinable static var filtering: Self { [.subscriptionFirst, .cancelsAhead] }
}

/// What mirrors of both halves of an operator show, as Combine's do.
///
/// It keeps nothing alive: what is gone with the end of the stream shows as nil. Nor does it read what the upstream's signals may be
/// changing at the moment: see ``beginning(of:_:_:)``.
@usableFromInline
struct LinkPortrait {
    @usableFromInline let children: (KeepingLink) -> [Mirror.Child]

    @usableFromInline
    init(children: @escaping (KeepingLink) -> [Mirror.Child]) {
        self.children = children
    }

    /// The subscriber.
    @usableFromInline static var subscriber: Self {
        Self { [("downstream", $0.subscriber as Any)] }
    }

    /// The subscriber, and what is remembered from one value to the next.
    @inlinable
    static func subscriber<Value>(and label: String, _ memory: SerialState<Value>) -> Self {
        Self { [weak memory] link in
            [("downstream", link.subscriber as Any), (label, beginning(of: memory, link) { $0 })]
        }
    }

    /// What an operator remembers before the upstream is asked for values, and the type of it from then on: it belongs to those
    /// values, which go without a lock.
    ///
    /// - Parameter part: Makes of it what is shown, under a lock.
    @inlinable
    static func beginning<Value, Part>(
        of memory: SerialState<Value>?, _ link: KeepingLink, _ part: (Value) -> Part
    ) -> Any {
        guard let memory else { return Part?.none as Any }
        return link.whileUnasked { part(memory.value) }.map { $0 as Any } ?? Part.self
    }

    /// What operators show that go on until something is thrown.
    @inlinable
    static func status<Value>(and label: String, _ memory: SerialState<Value>) -> Self {
        Self { [weak memory] link in
            [
                ("downstream", link.subscriber as Any), ("status", link.phase.load(ordering: .relaxed)),
                (label, beginning(of: memory, link) { $0 }),
            ]
        }
    }

    /// What operators show that run values through a coder.
    @usableFromInline static var coding: Self {
        Self { link in
            [
                ("downstream", link.subscriber as Any), ("finished", !link.isOpen),
                ("upstreamSubscription", link.upstream as Any),
            ]
        }
    }

    /// What operators show that make one value out of many.
    @usableFromInline static var reduction: Self {
        Self { link in
            [
                ("downstream", link.subscriber as Any), ("result", Any?.none as Any), ("initial", Any?.none as Any),
                ("status", link.phase.load(ordering: .relaxed)),
            ]
        }
    }
}

/// A subscription that is not an object, kept as one.
final class BoxedSubscription: Subscription {
    let base: any Subscription

    init(base: any Subscription) {
        self.base = base
    }

    var combineIdentifier: CombineIdentifier { base.combineIdentifier }

    func request(_ demand: Subscribers.Demand) {
        base.request(demand)
    }

    func cancel() {
        base.cancel()
    }
}

/// The subscription that a reference stands for, as it was received.
func unboxed(_ reference: (any Subscription & AnyObject)?) -> (any Subscription)? {
    (reference as? BoxedSubscription)?.base ?? reference
}

/// The word by which subscriptions, and the receiving halves of operators, show themselves: Combine's, where Combine
/// has it.
///
/// Every subscription keeps it, so it is one byte.
@usableFromInline
enum OperatorName: String, CustomStringConvertible {
    case allSatisfy = "AllSatisfy"
    case anonymousAnySubscriber = "Anonymous AnySubscriber"
    case assertNoFailure = "AssertNoFailure"
    case assign = "Assign"
    case async = "Async"
    case asyncMap = "AsyncMap"
    case asyncPublisher = "AsyncPublisher"
    case asyncSequence = "AsyncSequence"
    case autoconnect = "Autoconnect"
    case backpressure = "Backpressure"
    case breakpoint = "Breakpoint"
    case buffer = "Buffer"
    case `catch` = "Catch"
    case checkpoint = "Checkpoint"
    case collect = "Collect"
    case collectByCount = "CollectByCount"
    case collectByTime = "CollectByTime"
    case combineLatest = "CombineLatest"
    case compactMap = "CompactMap"
    case comparison = "Comparison"
    case concatenate = "Concatenate"
    case contains = "Contains"
    case containsWhere = "ContainsWhere"
    case count = "Count"
    case create = "Create"
    case currentValueSubject = "CurrentValueSubject"
    case deadline = "Deadline"
    case debounce = "Debounce"
    case decode = "Decode"
    case delay = "Delay"
    case dematerialize = "Dematerialize"
    case drop = "Drop"
    case dropUntilOutput = "DropUntilOutput"
    case dropWhile = "DropWhile"
    case encode = "Encode"
    case expand = "Expand"
    case filter = "Filter"
    case first = "First"
    case flatMap = "FlatMap"
    case flatMapFirst = "FlatMapFirst"
    case future = "Future"
    case handleEvents = "HandleEvents"
    case ignoreOutput = "IgnoreOutput"
    case just = "Just"
    case last = "Last"
    case lastWhere = "LastWhere"
    case limitRate = "LimitRate"
    case map = "Map"
    case mapError = "MapError"
    case materialize = "Materialize"
    case measureInterval = "MeasureInterval"
    case merge = "Merge"
    case multicast = "Multicast"
    case observableObjectPublisher = "ObservableObjectPublisher"
    case once = "Once"
    case optional = "Optional"
    case output = "Output"
    case passthroughSubject = "PassthroughSubject"
    case prefixUntilOutput = "PrefixUntilOutput"
    case prefixWhile = "PrefixWhile"
    case print = "Print"
    case publishedSubject = "PublishedSubject"
    case publishedSubscriber = "PublishedSubscriber"
    case race = "Race"
    case receiveOn = "ReceiveOn"
    case reduce = "Reduce"
    case removeDuplicates = "RemoveDuplicates"
    case `repeat` = "Repeat"
    case replaceEmpty = "ReplaceEmpty"
    case replaceError = "ReplaceError"
    case replaySubject = "ReplaySubject"
    case retry = "Retry"
    case retryWithBackoff = "RetryWithBackoff"
    case sample = "Sample"
    case scan = "Scan"
    case setFailureType = "SetFailureType"
    case shareReplay = "ShareReplay"
    case sink = "Sink"
    case subject = "Subject"
    case subscribeOn = "SubscribeOn"
    case switchToLatest = "SwitchToLatest"
    case throttle = "Throttle"
    case timeout = "Timeout"
    case tryAllSatisfy = "TryAllSatisfy"
    case tryCatch = "TryCatch"
    case tryCompactMap = "TryCompactMap"
    case tryComparison = "TryComparison"
    case tryContainsWhere = "TryContainsWhere"
    case tryDropWhile = "TryDropWhile"
    case tryFilter = "TryFilter"
    case tryFirst = "TryFirst"
    case tryFirstWhere = "TryFirstWhere"
    case tryLastWhere = "TryLastWhere"
    case tryMap = "TryMap"
    case tryPrefixWhile = "TryPrefixWhile"
    case tryReduce = "TryReduce"
    case tryRemoveDuplicates = "TryRemoveDuplicates"
    case tryScan = "TryScan"
    case tryTransform = "TryTransform"
    case using = "Using"
    case valueForKey = "ValueForKey"
    case valueForKeys = "ValueForKeys"
    case withLatestFrom = "WithLatestFrom"
    case zip = "Zip"

    @usableFromInline var description: String { rawValue }
}
