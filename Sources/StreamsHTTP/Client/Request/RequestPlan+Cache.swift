extension RequestPlan {
    /// Starts an exchange that a cache answers if it can, and the server otherwise.
    func startCached(
        _ request: TransportRequest, _ cache: HTTPCache, delivering receiver: some PolicyReceiver
    ) -> any TransportExchange {
        let exchange = CachedExchange(
            request, cache, now: { self.clock.date }, backgroundExchanges, delivering: receiver
        ) { request, events, isInBackground in
            if isInBackground {
                self.startServer(request, delivering: BackgroundReceiver(events: events))
            } else {
                self.startServer(request, delivering: CachedReceiver(events: events, policies: receiver))
            }
        }
        exchange.begin()
        return exchange
    }
}

/// Passes the events of an exchange to a cache, and the work of the policies to the receiver of the request.
private struct CachedReceiver<Receiver: PolicyReceiver>: PolicyReceiver {
    let events: any TransportReceiver
    let policies: Receiver

    func receive(_ event: TransportEvent) { events.receive(event) }
    func receive(_ waits: HTTPRequest.Metrics.Waits) { policies.receive(waits) }
    func receive(_ hedging: HTTPRequest.Metrics.Hedging) { policies.receive(hedging) }
}

/// Passes the events of an exchange to a cache, of which no request knows.
private struct BackgroundReceiver: PolicyReceiver {
    let events: any TransportReceiver

    func receive(_ event: TransportEvent) { events.receive(event) }
    func receive(_ waits: HTTPRequest.Metrics.Waits) {}
    func receive(_ hedging: HTTPRequest.Metrics.Hedging) {}
}

extension CachedExchange: PolicyExchange {
    func expire() {
        end { exchange in
            if let exchange = exchange as? any PolicyExchange { exchange.expire() } else { exchange.abort() }
        }
    }
}
