import StreamsHTTP

/// A transport that reports every request and every head, redirects included.
struct ObservedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let log: RequestLog?
    private let heads: ResponseHeads?

    init(_ transport: any HTTPTransport, log: RequestLog?, heads: ResponseHeads?) {
        self.transport = transport
        self.log = log
        self.heads = heads
    }

    var connections: [OriginConnections] { transport.connections }

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        log?.sending(request)
        return transport.start(request, delivering: ObservedReceiver(receiver: receiver, log: log, heads: heads))
    }
}

private struct ObservedReceiver: TransportReceiver {
    let receiver: any TransportReceiver
    let log: RequestLog?
    let heads: ResponseHeads?

    func receive(_ event: TransportEvent) {
        if case .head(let head) = event {
            log?.received(head)
            heads?.append(head)
        }
        receiver.receive(event)
    }
}
