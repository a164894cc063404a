import Streams
import Synchronization

/// The subscriber of the bytes.
struct FramingSubscriber<Failure: Error, F: Framing>: Subscriber {
    let subscription: FramingSubscription<F>

    var combineIdentifier: CombineIdentifier { subscription.combineIdentifier }

    func receive(subscription: any Subscription) {
        self.subscription.attach(subscription)
    }

    func receive(_ input: Data) -> Subscribers.Demand {
        subscription.receive(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: subscription.receive(completion: .finished)
        case .failure(let error): subscription.receive(completion: .failure(error))
        }
    }
}

/// The subscription of operators that split bytes into elements: delivers elements as far as there is demand, and
/// requests another chunk when none is left.
///
/// One thread at a time delivers. Requests and signals that come meanwhile, also from inside a callback, are left to
/// it, so that calls do not nest (rule 5). Composing `flatMap(maxPublishers: .max(1))` would not do: it requests a chunk
/// before there is demand, and a failure of the upstream would overtake elements that were already received.
///
/// The framing is the only type parameter: code that is also generic over the subscriber, or that is called dynamically,
/// would not be specialised, and an element would cost several times as much.
// Safe because the lock guards the state, and the rest belongs to the delivering thread.
final class FramingSubscription<F: Framing>: BackpressureTraits, CustomStringConvertible, @unchecked Sendable {
    typealias Completion = Subscribers.Completion<any Error>

    let description: String
    private let state = Locked(FramingState())
    private let isOver = Atomic(false)
    /// Delivers what the state allows. A closure is specialised where the object is created.
    private let deliver: (FramingSubscription) -> Void

    // These belong to the delivering thread, and the first three are nil after the end.
    @exclusivity(unchecked) private var downstream: AnySubscriber<F.Element, any Error>?
    @exclusivity(unchecked) private var framing: F?
    /// The next element, which is taken in advance, so that the completion can follow the last element at once.
    @exclusivity(unchecked) private var next: F.Element?
    @exclusivity(unchecked) private var demand = Subscribers.Demand.none
    @exclusivity(unchecked) private var hasRequestedAll = false
    /// The upstream, if it is to be sent an unlimited request.
    @exclusivity(unchecked) private var unlimitedRequest: (any Subscription)?
    @exclusivity(unchecked) private var hasFinishedFraming = false

    init(_ name: String, _ framing: F, downstream: AnySubscriber<F.Element, any Error>) {
        description = name
        self.framing = framing
        self.downstream = downstream
        deliver = { $0.deliverAll() }
    }

    // MARK: Signals of the upstream

    func attach(_ subscription: any Subscription) {
        let isAttached = state.withLock { state in
            guard state.phase == .awaitingSubscription else { return false }
            state.phase = .active
            state.upstream = subscription
            return true
        }
        guard isAttached else { return subscription.cancel() }
        let downstream = downstream
        downstream?.receive(subscription: self)
    }

    func receive(_ chunk: Data) {
        submit { state in
            guard state.completion == nil else { return false }
            state.chunks.append(chunk)
            state.isAwaitingChunk = false
            return true
        }
    }

    func receive(completion: Completion) {
        var upstream: (any Subscription)?
        submit { state in
            guard state.completion == nil else { return false }
            state.completion = completion
            upstream = state.upstream.take()
            return true
        }
        withExtendedLifetime(upstream) {}
    }

    // MARK: Calls of the downstream

    func request(_ demand: Subscribers.Demand) {
        submit { state in
            state.demand += demand
            return demand > .none
        }
    }

    func cancel() {
        let ended = state.withLock { $0.end() }
        isOver.store(true, ordering: .releasing)
        ended?.upstream?.cancel()
        if ended?.mustDeliver == true { deliver(self) }
    }

    var dropsUnrequestedValues: Bool {
        Streams.dropsUnrequestedValues(state.withLock { $0.upstream })
    }

    func keepUnrequestedValues() {
        Streams.keepUnrequestedValues(state.withLock { $0.upstream })
    }

    /// Changes the state of an active subscription, and delivers what the change allows.
    private func submit(_ change: (inout FramingState) -> Bool) {
        let mustDeliver = state.withLock { state in
            state.phase == .active && change(&state) && state.beginDelivering()
        }
        if mustDeliver { deliver(self) }
    }
}

// MARK: The delivering thread

extension FramingSubscription {
    private func deliverAll() {
        var unlimited: (any Subscription)?
        repeat {
            deliverElements()
            if let upstream = unlimitedRequest.take() { unlimited = upstream }
            if isOver.load(ordering: .acquiring) { release() }
        } while !state.withLock { $0.endDelivering() }
        // While elements are delivered, a source that sends from inside the request would only fill the queue.
        unlimited?.request(.unlimited)
    }

    /// Delivers elements until there is no demand or no element.
    private func deliverElements() {
        guard let downstream else { return }
        while !isOver.load(ordering: .acquiring), hasNext() {
            if demand == .none { takeDemand() }
            guard demand > .none, let element = next.take() else { return }
            demand -= 1
            let additional = downstream.receive(element)
            if additional > .none { demand += additional }
        }
    }

    /// Makes the next element available, if there is one.
    private func hasNext() -> Bool {
        while next == nil {
            do throws(FramingError) {
                next = try framing?.next()
            } catch {
                complete(.failure(error))
                return false
            }
            if next == nil, !appendInput() { return false }
        }
        return true
    }

    /// Appends bytes to the framing, or requests some.
    ///
    /// - Returns: Whether the framing may have elements now.
    private func appendInput() -> Bool {
        takeDemand()
        switch takeInput() {
        case .chunks(let chunks):
            for chunk in chunks { framing?.append(chunk) }
            return true
        case .completion(.finished) where !hasFinishedFraming:
            hasFinishedFraming = true
            framing?.finish()
            return true
        case .completion(let completion):
            complete(completion)
            return false
        case .missing(let upstream) where demand == .unlimited:
            hasRequestedAll = true
            unlimitedRequest = upstream
            return false
        case .missing(let upstream):
            // A chunk that comes from inside the request makes the caller look for input again.
            upstream.request(.max(1))
            return false
        case .nothing:
            return false
        }
    }

    private func takeInput() -> FramingInput {
        let (isUnlimited, mayRequest) = (demand == .unlimited, demand > .none && !hasRequestedAll)
        return state.withLock { state in
            if !state.chunks.isEmpty { return .chunks(exchange(&state.chunks, with: [])) }
            if let completion = state.completion { return .completion(completion) }
            guard mayRequest, isUnlimited || !state.isAwaitingChunk, let upstream = state.upstream else {
                return .nothing
            }
            state.isAwaitingChunk = true
            return .missing(upstream)
        }
    }

    private func takeDemand() {
        demand += state.withLock { exchange(&$0.demand, with: .none) }
    }

    /// Delivers the completion, unless the subscriber has cancelled, and cancels an upstream that has not completed.
    private func complete(_ completion: Completion) {
        guard let ended = state.withLock({ $0.end() }) else { return }
        isOver.store(true, ordering: .releasing)
        let downstream = downstream
        release()
        ended.upstream?.cancel()
        downstream?.receive(completion: completion)
    }

    private func release() {
        downstream = nil
        framing = nil
        next = nil
    }
}

private struct FramingState {
    enum Phase {
        case awaitingSubscription
        case active
        case over
    }

    typealias Completion = Subscribers.Completion<any Error>

    var phase = Phase.awaitingSubscription
    var upstream: (any Subscription)?
    /// The chunks that have not been appended to the framing. There are several if the upstream sends while
    /// elements are delivered.
    var chunks: [Data] = []
    var completion: Completion?
    /// The demand that the delivering thread has not taken yet.
    var demand = Subscribers.Demand.none
    var isAwaitingChunk = false
    var isDelivering = false
    /// Whether the delivering thread has to look at the state once more.
    var hasChanged = false

    /// Leaves a change to the delivering thread.
    ///
    /// - Returns: Whether there is none, so that the caller has to deliver.
    mutating func beginDelivering() -> Bool {
        hasChanged = isDelivering
        defer { isDelivering = true }
        return !isDelivering
    }

    mutating func endDelivering() -> Bool {
        isDelivering = hasChanged
        hasChanged = false
        return !isDelivering
    }

    /// Ends the subscription.
    ///
    /// - Returns: The references to release and whether the caller has to deliver; `nil` if it has already ended.
    mutating func end() -> (upstream: (any Subscription)?, chunks: [Data], mustDeliver: Bool)? {
        guard phase != .over else { return nil }
        phase = .over
        defer { (upstream, chunks) = (nil, []) }
        return (upstream, chunks, beginDelivering())
    }
}

private enum FramingInput {
    case chunks([Data])
    case completion(Subscribers.Completion<any Error>)
    /// There is no input, and the upstream is to be sent a request.
    case missing(any Subscription)
    /// There is no input, and nothing to request.
    case nothing
}
