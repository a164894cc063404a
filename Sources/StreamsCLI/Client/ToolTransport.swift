import StreamsHTTP

/// A transport that adjusts every request, and reports it and every head, redirects included.
struct ToolTransport: HTTPTransport {
    private let transport: any HTTPTransport
    private let adjustment: RequestAdjustment
    private let log: RequestLog?
    private let heads: ResponseHeads?
    private let headOutput: HeadOutput?

    init(
        _ transport: any HTTPTransport, adjustment: RequestAdjustment, log: RequestLog?, heads: ResponseHeads?,
        headOutput: HeadOutput?
    ) {
        self.transport = transport
        self.adjustment = adjustment
        self.log = log
        self.heads = heads
        self.headOutput = headOutput
    }

    var connections: [OriginConnections] { transport.connections }

    func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let request = adjustment.applied(to: request)
        log?.sending(request)
        let observed = ObservedReceiver(receiver: receiver, log: log, heads: heads, headOutput: headOutput)
        return transport.start(request, delivering: observed)
    }
}

/// The changes of each request that the library has no option for.
struct RequestAdjustment: Sendable {
    /// The names of the fields that are not sent.
    let removedNames: [String]
    /// The addresses of hosts and ports.
    let addresses: [ResolveArgument]

    fileprivate func applied(to request: TransportRequest) -> TransportRequest {
        var request = request
        for name in removedNames { request.headers.remove(name) }
        for address in addresses { address.apply(to: &request) }
        return request
    }
}

private struct ObservedReceiver: TransportReceiver {
    let receiver: any TransportReceiver
    let log: RequestLog?
    let heads: ResponseHeads?
    let headOutput: HeadOutput?

    func receive(_ event: TransportEvent) {
        switch event {
        case .head(let head):
            log?.received(head)
            heads?.append(head)
            headOutput?.append(head)
        case .trailers(let trailers):
            headOutput?.append(trailers)
        default:
            break
        }
        receiver.receive(event)
    }
}
