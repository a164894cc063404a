/// An exchange that the policies of a client act on.
protocol PolicyExchange: TransportExchange {
    /// Whether the exchange waits for a permit.
    var isWaiting: Bool { get }
    /// The number of further copies that were sent.
    var hedges: Int { get }
    /// Ends the exchange because the total timeout has expired, which is a failure of the server.
    func expire()
}

/// A receiver of the events of an exchange, and of what policies did to it.
protocol PolicyReceiver: TransportReceiver {
    /// Receives the time that the exchange has waited, before its first event. Called only if that is not zero.
    func receive(_ waits: HTTPRequest.Metrics.Waits)
    /// Receives the copies of the exchange, each time that one has been sent or that one has been chosen.
    func receive(_ hedging: HTTPRequest.Metrics.Hedging)
}
