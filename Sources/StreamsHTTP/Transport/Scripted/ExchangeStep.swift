/// One step of an exchange that no network takes part in.
enum ExchangeStep: Sendable {
    /// Time passes. Where it is more than the peer may keep silent, the exchange fails.
    case wait(Duration)
    /// The request's body is read to its end.
    case readBody(telling: Bool)
    /// The rest of the steps is made of the request's body.
    case decide(@Sendable (Data) -> [ExchangeStep])
    /// An event; a chunk waits until there is room for it.
    case event(TransportEvent)
    /// Nothing more happens until a timeout, if the request has that one.
    case stall(HTTPError.Timeout)
    /// Nothing more happens.
    case silence
}

extension [ExchangeStep] {
    /// A response that comes at once.
    static func response(_ head: HTTPResponse<Void>, chunks: [Data]) -> [ExchangeStep] {
        var received: Int64 = 0
        var steps: [ExchangeStep] = [.event(.head(head))]
        for chunk in chunks where !chunk.isEmpty {
            received += Int64(chunk.count)
            steps.append(.event(.chunk(chunk, received: received)))
        }
        return steps + [.event(.finished)]
    }
}
