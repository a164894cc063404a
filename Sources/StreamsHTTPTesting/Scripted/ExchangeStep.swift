import StreamsHTTP

/// A step of a scripted exchange.
enum ExchangeStep: Sendable {
    /// Waits. The exchange fails if the delay is longer than the request's idle timeout.
    case delay(Duration)
    /// Reads the request's body to its end.
    case readBody(reportsProgress: Bool)
    /// Replaces the remaining steps. The closure gets the request's body, which is empty if it has not been read.
    case makeSteps(@Sendable (Data) -> [ExchangeStep])
    /// Delivers an event. A chunk waits until the window has room.
    case event(TransportEvent)
    /// Delivers nothing until a timeout; `nil` for no timeout at all.
    case stall(until: HTTPError.Timeout?)

    /// The end of an exchange by a failure.
    static func failure(_ reason: HTTPError.Reason) -> ExchangeStep {
        .event(.failed(TransportFailure(reason)))
    }
}
