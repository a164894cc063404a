/// A request that has been sent to the server.
struct ForwardedRequest {
    let forwarding: CacheForwarding
    /// The time at which it was sent.
    let time: Date
    /// Whether the head of the response has been delivered.
    var hasHead = false
    /// The storage of the response; `nil` if it is not stored.
    var storage: ResponseStorage?
    /// The stored response that the server has validated, to be delivered when its exchange ends.
    var validated: CacheServing?
    /// The metrics of the exchange that has validated a stored response.
    var metrics: TransportEvent?
}

/// The storage of a response whose body is being received.
final class ResponseStorage {
    private let writer: any CacheWriter
    private var response: StoredResponse

    /// - Parameters:
    ///   - response: The head of the response.
    ///   - length: The length of its body, if it is known.
    ///   - lookup: The search for the response.
    ///   - store: The store.
    /// - Returns: `nil` if the store has no place for it.
    init?(_ response: StoredResponse, length: Int64?, _ lookup: CacheLookup, in store: any CacheStore) {
        let placement = lookup.placement(of: response, over: lookup.root, generation: .random(in: .min ... .max))
        guard let writer = store.makeWriter(for: placement.key, length: length) else { return nil }
        // Not at the end of the body: what makes the response invalid until then removes this record.
        if let root = placement.root { store.put(root, for: lookup.rootKey) }
        self.response = response
        self.writer = writer
    }

    func append(_ data: Data) {
        response.bodyLength += Int64(data.count)
        writer.append(data)
    }

    /// Stores the response, whose body is complete.
    func finish() {
        response.isComplete = true
        writer.finish(.response(response))
    }

    /// Stores the part that has been received, if it can be completed later.
    ///
    /// - Parameter former: The stored response that the part would replace.
    func endEarly(over former: StoredResponse?) {
        guard !response.isComplete else { return }
        if response.isWorthStoring(over: former) { writer.finish(.response(response)) } else { writer.cancel() }
    }

    func cancel() {
        writer.cancel()
    }
}

extension CachedExchange {
    /// Sends a request, unless one for the same is under way.
    func send(_ forwarding: CacheForwarding) {
        // A body that is collected comes as fast as the server sends it. Others would wait for the subscriber.
        let mayLead = !request.usesBackpressure
        guard !forwarding.mayWait || !waitForOther(mayLead: mayLead) else { return }
        start(forwarding)
    }

    /// Validates a stored response in the background, unless another exchange does so.
    func revalidate(_ forwarding: CacheForwarding) {
        if waitForOther(mayLead: true) { abort() } else { start(forwarding) }
    }

    private func start(_ forwarding: CacheForwarding) {
        phase = .forwarding(ForwardedRequest(forwarding: forwarding, time: now()))
        startServer(forwarding.request)
    }

    func receive(_ event: TransportEvent, _ forwarded: ForwardedRequest) {
        switch event {
        case .connected, .sent: deliver(event)
        case .head(let head): receive(head, forwarded)
        case .chunk(let chunk, _):
            forwarded.storage?.append(chunk)
            // Neither the content of a 304 nor that of a response in the background is delivered, so no receiver allows more bytes.
            if receiver == nil || forwarded.validated != nil { allowServer(chunk.count) }
            if forwarded.validated == nil { deliver(event) }
        case .trailers: if forwarded.validated == nil { deliver(event) }
        case .metrics:
            guard forwarded.validated != nil else { return deliver(event) }
            var forwarded = forwarded
            forwarded.metrics = event
            phase = .forwarding(forwarded)
        case .finished:
            if let validated = forwarded.validated { return serve(validated, after: forwarded.metrics) }
            forwarded.storage?.finish()
            complete(event)
        case .failed(let failure):
            if let validated = forwarded.validated { return serve(validated, after: forwarded.metrics) }
            if !forwarded.hasHead, let fallback = forwarded.forwarding.fallback(after: failure.reason, at: now()) {
                return serve(fallback, after: forwarded.metrics)
            }
            complete(event)
        }
    }

    private func receive(_ head: HTTPResponse<Void>, _ forwarded: ForwardedRequest) {
        var forwarded = forwarded
        let forwarding = forwarded.forwarding
        for key in CacheInvalidation.keys(after: head, to: request) { cache.store.remove(key) }
        // Stored is the decoded body.
        let described = head.describingDecodedBody(inAnswerTo: request)
        switch forwarding.result(of: described, requestTime: forwarded.time, responseTime: now()) {
        case .deliver(let change, var status):
            forwarded.hasHead = true
            forwarded.storage = apply(change, described)
            status.isStored = forwarded.storage != nil
            phase = .forwarding(forwarded)
            // Others need not wait for a response that will not be stored.
            if forwarded.storage == nil { endLeading() }
            deliver(head, status)
        case .serve(let serving, let change):
            _ = apply(change, described)
            guard head.status == .notModified else {
                abandonServer()
                return serve(serving)
            }
            forwarded.validated = serving
            phase = .forwarding(forwarded)
        case .complete(let serving, let change):
            serve(serving, completedIn: apply(change, serving.head(for: request)))
        case .resend(let forwarding):
            if let entry { cache.store.remove(entry.key) }
            entry = nil
            abandonServer()
            start(forwarding)
        }
    }

    /// Changes what is stored for the request.
    ///
    /// - Returns: The storage of the response, if it is stored.
    private func apply(_ change: CacheChange, _ head: HTTPResponse<Void>) -> ResponseStorage? {
        switch change {
        case .none: break
        case .store(let response):
            return ResponseStorage(
                response, length: response.isDecoded ? nil : head.declaredLength, lookup, in: cache.store)
        case .update(let response): if let entry { cache.store.update(entry, with: .response(response)) }
        case .remove: if let entry { cache.store.remove(entry.key) }
        }
        return nil
    }
}

extension CacheForwarding {
    /// Whether the request may wait for another one, and use what that has stored.
    fileprivate var mayWait: Bool {
        guard original.method == .get, original.cache.mode == .standard, !original.headers.contains("Range") else {
            return false
        }
        return reason == .uriMiss || reason == .varyMiss || reason == .stale
    }
}
