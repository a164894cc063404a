/// An exchange that a cache answers as far as it can, and the server otherwise.
///
/// It looks up what is stored, and serves it, validates it or sends the request, as the ``CacheDecision`` says. A response
/// that may be stored is stored while it is delivered, whatever the receiver's demand is: the server's bytes come under
/// that demand.
///
/// Inputs of all threads pass through a serial drain. The draining thread owns the state, and calls the receiver.
// Safe because the drain makes all access to the mutable state serial, and a lock guards the exchange with the server.
final class CachedExchange: TransportExchange, @unchecked Sendable {
    /// A function that starts an exchange with the server: for the receiver of this one, or in the background.
    typealias Forward = @Sendable (TransportRequest, any TransportReceiver, Bool) -> any TransportExchange

    enum Input {
        case search
        case found(CacheEntry?)
        /// The exchange that this one waits for has ended.
        case leaderEnded(isAborted: Bool)
        case revalidate(CacheForwarding)
        case event(TransportEvent, generation: Int)
        case read(Result<Data, CacheDamage>)
        case allow(bytes: Int)
        case end(@Sendable (any TransportExchange) -> Void)
    }

    enum Phase {
        case searching
        /// Waits for the response to another request.
        case waiting
        case forwarding(ForwardedRequest)
        case serving(StoredDelivery)
        case over

        /// The storage of the response under way.
        var storage: ResponseStorage? {
            switch self {
            case .forwarding(let forwarded): forwarded.storage
            case .serving(let delivery): delivery.rest?.storage
            case .searching, .waiting, .over: nil
            }
        }
    }

    let cache: HTTPCache
    let now: @Sendable () -> Date
    /// The client's exchanges in the background.
    private let background: BackgroundExchanges
    /// Whether this exchange is one of them.
    private let isInBackground: Bool
    private let forward: Forward
    /// The exchange with the server, which other threads look at.
    private let current = Locked<(any TransportExchange)?>(nil)
    private let drain = SerialDrain<Input>()
    private let start = MonotonicTime.now

    // Owned by the draining thread.
    /// The receiver, until the end; `nil` for a revalidation in the background.
    @exclusivity(unchecked) var receiver: (any TransportReceiver)?
    @exclusivity(unchecked) var lookup: CacheLookup
    @exclusivity(unchecked) var phase = Phase.searching
    /// The entry of the stored response.
    @exclusivity(unchecked) var entry: CacheEntry?
    /// The number of bytes that may be delivered.
    @exclusivity(unchecked) var window: Int
    /// The number of the exchange with the server: the events of earlier ones are ignored.
    @exclusivity(unchecked) var generation = 0
    /// Whether others may wait for this exchange.
    @exclusivity(unchecked) private var leads = false
    /// Whether this exchange has waited for another one.
    @exclusivity(unchecked) private(set) var isCollapsed = false

    /// Creates an exchange.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - cache: The cache.
    ///   - now: A function that returns the date.
    ///   - background: The client's exchanges in the background.
    ///   - receiver: The receiver of the events; `nil` if only the store is to be updated.
    ///   - forward: The function that starts an exchange with the server.
    init(
        _ request: TransportRequest, _ cache: HTTPCache, now: @escaping @Sendable () -> Date,
        _ background: BackgroundExchanges, delivering receiver: (any TransportReceiver)?, _ forward: @escaping Forward
    ) {
        self.cache = cache
        self.now = now
        self.background = background
        isInBackground = receiver == nil
        self.forward = forward
        self.receiver = receiver
        lookup = CacheLookup(request, secret: cache.store.secret)
        window = request.window
    }

    /// Creates an exchange that only updates the store, for what another exchange has found there.
    private convenience init(inBackgroundOf other: CachedExchange) {
        self.init(other.request, other.cache, now: other.now, other.background, delivering: nil, other.forward)
        (lookup, entry) = (other.lookup, other.entry)
    }

    var request: TransportRequest { lookup.request }
    /// The time since the start.
    var age: Duration { MonotonicTime.now - start }

    /// Begins to look up what is stored.
    func begin() {
        submit(.search)
    }

    /// The exchange with the server; `nil` if there is none.
    var server: (any TransportExchange)? { current.withLock { $0 } }

    /// The wait of the exchange with the server.
    var wait: HTTPRequest.Wait? { server?.wait }

    func allow(bytes: Int) {
        submit(.allow(bytes: bytes))
    }

    func abort() {
        end { $0.abort() }
    }

    /// Ends the exchange.
    ///
    /// - Parameter stop: A function that ends the exchange with the server, if there is one.
    func end(_ stop: @escaping @Sendable (any TransportExchange) -> Void) {
        submit(.end(stop))
    }

    func submit(_ input: Input) {
        drain.submit(input, handle)
    }
}

// MARK: The draining thread

extension CachedExchange {
    private func handle(_ input: Input) {
        switch (input, phase) {
        case (_, .over): break
        case (.search, _): search()
        case (.found(let entry), .searching): receive(entry)
        case (.leaderEnded(let isAborted), .waiting):
            isCollapsed = !isAborted
            lookup = CacheLookup(request, secret: cache.store.secret)
            search()
        case (.revalidate(let forwarding), _): revalidate(forwarding)
        case (.event(let event, let number), .forwarding(let forwarded)) where number == generation:
            receive(event, forwarded)
        case (.event(let event, let number), .serving(let delivery)) where number == generation && delivery.rest != nil:
            receiveRest(event, delivery)
        case (.read(let result), .serving(let delivery)): receive(result, delivery)
        case (.allow(let bytes), _): allowMore(bytes)
        case (.end(let stop), _): end(by: stop)
        case (.found, _), (.leaderEnded, _), (.event, _), (.read, _): break
        }
    }

    /// Looks up what is stored, from the beginning.
    func search() {
        (phase, entry) = (.searching, nil)
        guard let key = lookup.firstKey else { return decide() }
        look(up: key)
    }

    private func look(up key: CacheKey) {
        cache.store.find(key) { [self] entry in submit(.found(entry)) }
    }

    private func receive(_ found: CacheEntry?) {
        let next = lookup.next(after: found?.record)
        if let found, lookup.found?.key == found.key { entry = found }
        if let next { look(up: next) } else { decide() }
    }

    private func decide() {
        switch lookup.decision(at: now()) {
        case .serve(let serving, let revalidation):
            if let revalidation { revalidateInBackground(revalidation) }
            serve(serving)
        case .forward(let forwarding): send(forwarding)
        case .refuse: refuse()
        }
    }

    private func revalidateInBackground(_ forwarding: CacheForwarding) {
        let exchange = CachedExchange(inBackgroundOf: self)
        if background.add(exchange) { exchange.submit(.revalidate(forwarding)) }
    }

    private func refuse() {
        deliver(CacheServing.refusal(of: request), .refused)
        complete(.finished)
    }

    private func allowMore(_ bytes: Int) {
        allowServer(bytes)
        let (sum, isTooLarge) = window.addingReportingOverflow(bytes)
        window = isTooLarge ? .max : sum
        deliverMore()
    }

    private func end(by stop: (any TransportExchange) -> Void) {
        if case .waiting = phase { cache.collapsed.leave(self, collapsingKey) }
        if let server = finish(isAborted: true) { stop(server) }
    }
}

// MARK: The exchange with the server

extension CachedExchange {
    /// Starts an exchange with the server.
    func startServer(_ request: TransportRequest) {
        generation += 1
        let exchange = forward(request, ServerReceiver(exchange: self, generation: generation), isInBackground)
        current.withLock { $0 = exchange }
    }

    /// Allows the server's body more bytes.
    func allowServer(_ bytes: Int) {
        switch phase {
        case .forwarding: server?.allow(bytes: bytes)
        case .serving(var delivery):
            let allowance = delivery.rest?.allowance(of: bytes) ?? 0
            phase = .serving(delivery)
            if allowance > 0 { server?.allow(bytes: allowance) }
        case .searching, .waiting, .over: break
        }
    }

    /// Ends the exchange with the server, whose events are ignored from now on.
    func abandonServer() {
        generation += 1
        current.withLock { $0.take() }?.abort()
    }

    /// Passes the events of an exchange with the server to the draining thread.
    private struct ServerReceiver: TransportReceiver {
        let exchange: CachedExchange
        let generation: Int

        func receive(_ event: TransportEvent) {
            exchange.submit(.event(event, generation: generation))
        }
    }
}

// MARK: Requests for the same

extension CachedExchange {
    private var collapsingKey: CollapsedRequests.Key {
        CollapsedRequests.Key(root: lookup.rootKey, identity: lookup.identity)
    }

    /// Waits for the response to a request for the same, if there is one under way.
    ///
    /// - Parameter mayLead: Whether others may wait for this exchange, if there is none.
    /// - Returns: Whether there is one. An exchange that has waited does not wait again.
    func waitForOther(mayLead: Bool) -> Bool {
        guard !isCollapsed else { return false }
        switch cache.collapsed.join(self, collapsingKey, mayLead: mayLead) {
        case .follower:
            phase = .waiting
            return true
        case .leader: leads = true
        case .single: break
        }
        return false
    }

    /// Lets those that wait for this exchange go on: with what is stored by now, or by requests of their own.
    func endLeading(isAborted: Bool = false) {
        guard leads else { return }
        leads = false
        for follower in cache.collapsed.end(collapsingKey) { follower.submit(.leaderEnded(isAborted: isAborted)) }
    }
}

// MARK: Deliveries and the end

extension CachedExchange {
    func deliver(_ head: HTTPResponse<Void>, _ status: CacheStatus) {
        guard let receiver else { return }
        var status = status
        status.isCollapsed = isCollapsed
        cache.count(status)
        receiver.receive(.head(head.with(cacheStatus: status)))
    }

    func deliver(_ event: TransportEvent) {
        receiver?.receive(event)
    }

    /// Delivers the last event.
    func complete(_ event: TransportEvent) {
        let receiver = receiver
        finish(isAborted: false)
        receiver?.receive(event)
    }

    /// - Returns: The exchange with the server, if there is one.
    @discardableResult
    private func finish(isAborted: Bool) -> (any TransportExchange)? {
        phase.storage?.endEarly(over: entry?.record.response)
        (phase, entry, receiver) = (.over, nil, nil)
        endLeading(isAborted: isAborted)
        if isInBackground { background.remove(self) }
        return current.withLock { $0.take() }
    }
}
