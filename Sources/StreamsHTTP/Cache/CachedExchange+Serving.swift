/// The delivery of a stored response: all of it, or the stored part and then what the server sends after it.
struct StoredDelivery {
    let serving: CacheServing
    let entry: CacheEntry
    /// The bytes of the stored body to deliver.
    let bounds: Range<Int64>
    /// The metrics of the exchange that has validated the response, if there was one.
    let metrics: TransportEvent?
    /// The place of the next byte in the stored body.
    var offset: Int64
    /// Whether the head has been delivered. It comes with the first bytes: until then, damage is a miss.
    var hasHead = false
    /// Whether bytes are being read.
    var isReading = false
    /// The exchange that completes the response; `nil` if all of it is stored.
    var rest: RestOfResponse?

    /// The number of bytes that have been read.
    var readCount: Int64 { offset - bounds.lowerBound }
}

extension CachedExchange {
    /// Delivers a stored response.
    ///
    /// - Parameter metrics: The metrics of the exchange that has validated it.
    func serve(_ serving: CacheServing, after metrics: TransportEvent? = nil) {
        guard receiver != nil, let entry else { return complete(.finished) }
        endLeading()
        let bounds = serving.bodyRange(for: request)
        phase = .serving(
            StoredDelivery(
                serving: serving, entry: entry, bounds: bounds, metrics: metrics, offset: bounds.lowerBound))
        deliverMore()
    }

    /// Delivers the stored part of a response, and then what the server sends after it.
    ///
    /// - Parameter storage: The storage of the whole response; `nil` if it is not stored.
    func serve(_ serving: CacheServing, completedIn storage: ResponseStorage?) {
        guard let entry else { return complete(.finished) }
        var delivery = StoredDelivery(
            serving: serving, entry: entry, bounds: 0..<entry.bodyLength, metrics: nil, offset: 0)
        delivery.rest = RestOfResponse(storage: storage, withheld: entry.bodyLength)
        phase = .serving(delivery)
        deliverMore()
    }

    /// Reads more bytes of a stored body, if they may be delivered.
    func deliverMore() {
        guard case .serving(var delivery) = phase, !delivery.isReading else { return }
        guard delivery.offset < delivery.bounds.upperBound else {
            return delivery.rest == nil ? complete(delivery) : deliverRest()
        }
        guard window > 0 else { return }
        delivery.isReading = true
        phase = .serving(delivery)
        let rest = Int(clamping: delivery.bounds.upperBound - delivery.offset)
        delivery.entry.read(at: delivery.offset, maxCount: min(window, rest)) { [self] in submit(.read($0)) }
    }

    func receive(_ result: Result<Data, CacheDamage>, _ delivery: StoredDelivery) {
        var delivery = delivery
        guard case .success(let bytes) = result, !bytes.isEmpty else { return recover(from: delivery) }
        deliverHead(&delivery)
        delivery.offset += Int64(bytes.count)
        delivery.isReading = false
        delivery.rest?.storage?.append(bytes)
        window -= bytes.count
        phase = .serving(delivery)
        deliver(.chunk(bytes, received: delivery.readCount))
        deliverMore()
    }

    private func deliverHead(_ delivery: inout StoredDelivery) {
        guard !delivery.hasHead else { return }
        delivery.hasHead = true
        deliver(delivery.serving.head(for: request), delivery.serving.status)
    }

    private func complete(_ delivery: StoredDelivery) {
        var delivery = delivery
        deliverHead(&delivery)
        if request.wantsMetrics { deliver(delivery.metrics ?? .metrics(TransportEvent.Metrics(total: age))) }
        complete(.finished)
    }

    /// Handles a body that is damaged: as a miss, or as a failure if a part of it has been delivered.
    private func recover(from delivery: StoredDelivery) {
        cache.store.remove(delivery.entry.key)
        delivery.rest?.storage?.cancel()
        abandonServer()
        guard delivery.hasHead else {
            lookup = CacheLookup(request, secret: cache.store.secret)
            return search()
        }
        let cause = HTTPError.Underlying(domain: "Streams", code: 0, message: "the stored body is damaged")
        complete(.failed(TransportFailure(.transfer(.bodyEndedEarly), underlying: cause)))
    }
}
