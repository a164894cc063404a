/// The part of a response that the server sends to complete a stored one.
struct RestOfResponse {
    /// The storage of the whole response; `nil` if it is not stored.
    var storage: ResponseStorage?
    /// The number of bytes that the receiver has yet to allow before the server is allowed more: those of the stored
    /// part. The server's first window is that of the request, so that no more waits for the stored part.
    var withheld: Int64
    /// The events that have not been delivered.
    var waiting: [TransportEvent] = []
    /// The number of bytes that have been delivered.
    var count: Int64 = 0

    /// Returns the number of bytes to allow the server when the receiver has allowed some.
    mutating func allowance(of bytes: Int) -> Int {
        let stored = min(withheld, Int64(bytes))
        withheld -= stored
        return bytes - Int(stored)
    }
}

extension CachedExchange {
    /// Takes an event of the exchange that completes a stored response.
    func receiveRest(_ event: TransportEvent, _ delivery: StoredDelivery) {
        var delivery = delivery
        delivery.rest?.waiting.append(event)
        phase = .serving(delivery)
        deliverMore()
    }

    /// Delivers events of the exchange with the server, after the stored part.
    func deliverRest() {
        while case .serving(var delivery) = phase, let event = delivery.rest?.waiting.first {
            if case .chunk = event, window <= 0 { return }
            delivery.rest?.waiting.removeFirst()
            if case .chunk(let bytes, _) = event { delivery.rest?.count += Int64(bytes.count) }
            phase = .serving(delivery)
            deliver(event, delivery)
        }
    }

    private func deliver(_ event: TransportEvent, _ delivery: StoredDelivery) {
        guard let rest = delivery.rest else { return }
        let (count, length) = (delivery.readCount + rest.count, delivery.serving.stored.bodyLength)
        switch event {
        case .chunk(let bytes, _):
            guard count <= length else {
                abandonServer()
                return refuse(.protocolError(.length), delivery)
            }
            window -= bytes.count
            rest.storage?.append(bytes)
            deliver(.chunk(bytes, received: count))
        case .finished:
            guard count == length else { return refuse(.bodyEndedEarly, delivery) }
            rest.storage?.finish()
            complete(event)
        case .failed: complete(event)
        case .connected, .sent, .head, .trailers, .metrics: deliver(event)
        }
    }

    /// Fails because the server has sent another number of bytes than it had announced, and forgets the stored part.
    private func refuse(_ failure: HTTPError.Transfer, _ delivery: StoredDelivery) {
        delivery.rest?.storage?.cancel()
        cache.store.remove(delivery.entry.key)
        complete(.failed(TransportFailure(.transfer(failure))))
    }
}
