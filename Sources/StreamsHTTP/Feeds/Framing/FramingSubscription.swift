import Streams
import Synchronization

/// The subscription of operators that split bytes into elements: delivers elements as far as there is demand, and
/// requests another chunk when none is left.
///
/// Composing `flatMap(maxPublishers: .max(1))` would not do: it requests a chunk before there is demand, and a failure
/// of the upstream would overtake elements that were already received.
///
/// The framing is the only type parameter: code that is also generic over the subscriber, or that is called dynamically,
/// would not be specialised, and an element would cost several times as much.
// Safe because the lock guards what is shared, and the rest belongs to the draining thread.
final class FramingSubscription<F: Framing>: Subscriber, Subscription, CustomStringConvertible, @unchecked Sendable {
    typealias Input = Data
    typealias Failure = any Error

    private enum Event {
        case chunk(Data)
        case completion(Subscribers.Completion<any Error>)
        case demand(Subscribers.Demand)
        case cancellation
    }

    private struct Shared {
        enum SubscriptionStatus {
            case awaitingSubscription
            case active
            case terminal
        }

        var status = SubscriptionStatus.awaitingSubscription
        var upstream: (any Subscription)?
        /// Whether the upstream is to be sent an unlimited request after the drain.
        var mustRequestAll = false
    }

    let description: String
    let needsEveryValue: Bool
    private let drain = SerialDrain<Event>()
    private let shared = Locked(Shared())
    private let isOver = Atomic(false)
    /// Handles an event. A closure is specialised where the object is created.
    private let handle: (FramingSubscription, Event) -> Void

    // These belong to the draining thread, and the first three are nil after the end.
    @exclusivity(unchecked) private var downstream: AnySubscriber<F.Element, any Error>?
    @exclusivity(unchecked) private var framing: F?
    /// The next element, which is taken in advance, so that the completion can follow the last element at once.
    @exclusivity(unchecked) private var next: F.Element?
    @exclusivity(unchecked) private var demand = Subscribers.Demand.none
    @exclusivity(unchecked) private var completion: Subscribers.Completion<any Error>?
    @exclusivity(unchecked) private var isAwaitingChunk = false
    @exclusivity(unchecked) private var hasRequestedAll = false
    @exclusivity(unchecked) private var hasFinishedFraming = false

    init(_ name: String, _ framing: F, downstream: AnySubscriber<F.Element, any Error>) {
        description = name
        self.framing = framing
        self.downstream = downstream
        needsEveryValue = downstream.needsEveryValue
        handle = { $0.handleEvent($1) }
    }

    // MARK: Signals of the upstream

    func receive(subscription: any Subscription) {
        let isAttached = shared.withLock { shared in
            guard shared.status == .awaitingSubscription else { return false }
            (shared.status, shared.upstream) = (.active, subscription)
            return true
        }
        guard isAttached else { return subscription.cancel() }
        let downstream = downstream
        downstream?.receive(subscription: self)
    }

    func receive(_ chunk: Data) -> Subscribers.Demand {
        submit(.chunk(chunk))
        return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        submit(.completion(completion))
    }

    // MARK: Calls of the downstream

    func request(_ demand: Subscribers.Demand) {
        if demand > .none { submit(.demand(demand)) }
    }

    func cancel() {
        if end() { drain.submit(.cancellation) { handle(self, $0) } }
    }

    private func submit(_ event: Event) {
        // Before the subscription and after the end, events are ignored (rule 9).
        guard shared.withLock({ $0.status == .active }), drain.submit(event, { handle(self, $0) }) else { return }
        // Not while elements are delivered: a source that sends from inside the request would only fill the queue.
        let upstream = shared.withLock { shared in
            exchange(&shared.mustRequestAll, with: false) ? shared.upstream : nil
        }
        upstream?.request(.unlimited)
    }

    /// Ends the subscription, and cancels an upstream that has not completed.
    ///
    /// - Returns: Whether the subscription had not ended before.
    private func end() -> Bool {
        let (isFirst, upstream) = shared.withLock { shared in
            (exchange(&shared.status, with: .terminal) != .terminal, shared.upstream.take())
        }
        guard isFirst else { return false }
        isOver.store(true, ordering: .releasing)
        upstream?.cancel()
        return true
    }
}

// MARK: The draining thread

extension FramingSubscription {
    private func handleEvent(_ event: Event) {
        guard !isOver.load(ordering: .acquiring) else { return release() }
        switch event {
        case .chunk(let chunk):
            guard completion == nil else { return }
            isAwaitingChunk = false
            framing?.append(chunk)
        case .completion(let completion):
            guard self.completion == nil else { return }
            self.completion = completion
            let upstream = shared.withLock { $0.upstream.take() }
            withExtendedLifetime(upstream) {}
        case .demand(let additional):
            demand += additional
        case .cancellation:
            break
        }
        deliverElements()
        if isOver.load(ordering: .acquiring) { release() }
    }

    /// Delivers elements until there is no demand or no element.
    private func deliverElements() {
        guard let downstream else { return }
        while !isOver.load(ordering: .acquiring), hasNext() {
            guard demand > .none, let element = next.take() else { return }
            demand -= 1
            let additional = downstream.receive(element)
            if additional > .none { demand += additional }
        }
    }

    /// Makes the next element available. If there is none, completes or requests a chunk.
    private func hasNext() -> Bool {
        while next == nil {
            do throws(FramingError) {
                next = try framing?.next()
            } catch {
                complete(.failure(error))
                return false
            }
            if next != nil { return true }
            guard let completion else {
                requestChunk()
                return false
            }
            guard case .finished = completion, !hasFinishedFraming else {
                complete(completion)
                return false
            }
            hasFinishedFraming = true
            framing?.finish()
        }
        return true
    }

    private func requestChunk() {
        guard demand > .none, !hasRequestedAll, demand == .unlimited || !isAwaitingChunk else { return }
        isAwaitingChunk = true
        hasRequestedAll = demand == .unlimited
        let isUnlimited = hasRequestedAll
        let upstream = shared.withLock { shared in
            if isUnlimited { shared.mustRequestAll = true }
            return isUnlimited ? nil : shared.upstream
        }
        // A chunk that comes from inside the request is handled after this event.
        upstream?.request(.max(1))
    }

    /// Delivers the completion, unless the subscriber has cancelled.
    private func complete(_ completion: Subscribers.Completion<any Error>) {
        guard end() else { return }
        let downstream = downstream
        release()
        downstream?.receive(completion: completion)
    }

    private func release() {
        downstream = nil
        framing = nil
        next = nil
    }
}
