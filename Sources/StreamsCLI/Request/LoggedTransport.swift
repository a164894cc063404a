import StreamsHTTP

/// A transport that tells a log of every request and every head, redirects included.
struct LoggedTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let log: RequestLog

    init(_ transport: any HTTPTransport, log: RequestLog) {
        self.transport = transport
        self.log = log
    }

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        log.sending(request)
        return transport.start(request, delivering: LoggedReceiver(receiver: receiver, log: log))
    }
}

private struct LoggedReceiver: TransportReceiver {
    let receiver: any TransportReceiver
    let log: RequestLog

    func receive(_ event: TransportEvent) {
        if case .head(let head) = event { log.received(head) }
        receiver.receive(event)
    }
}
