import StreamsHTTP

/// A fault that a ``FaultInjectingTransport`` injects into some of its exchanges.
public struct InjectedFault: Sendable {
    /// The effect of a fault.
    public enum Effect: Sendable {
        /// The exchange fails before anything is sent.
        case failure(HTTPError.Reason)
        /// The exchange starts after a delay.
        case delay(Duration)
        /// The exchange fails after a number of bytes of the response's body, or at the end of a shorter body. On a
        /// WebSocket, the peer's frames are the body, and with the default reason, the connection ends without an error
        /// of its own.
        case cut(after: Int, HTTPError.Reason = .transfer(.bodyEndedEarly))
        /// Nothing is sent. The response has this status, these headers and no body.
        case response(HTTPStatus, HTTPHeaders = [:])
    }

    /// The exchanges that a fault affects, among those that its filter selects.
    public enum Condition: Sendable {
        /// All exchanges.
        case always
        /// The exchanges with these numbers. The first exchange has the number 1.
        case numbers(Set<Int>)
        /// Every exchange whose number is a multiple of this one.
        case every(Int)
        /// A random part of the exchanges, from 0 for none to 1 for all.
        case probability(Double)
    }

    /// The effect on an exchange.
    public var effect: Effect
    /// The exchanges that the fault affects, among those that its filter selects.
    public var condition: Condition
    let isSelected: @Sendable (TransportRequest) -> Bool

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - effect: The effect on an exchange.
    ///   - condition: The exchanges that the fault affects, among those that the filter selects.
    ///   - isSelected: The filter, by default of all requests. Called on the thread that starts an exchange.
    public init(
        _ effect: Effect, _ condition: Condition = .always,
        where isSelected: @escaping @Sendable (TransportRequest) -> Bool = { _ in true }
    ) {
        self.effect = effect
        self.condition = condition
        self.isSelected = isSelected
    }
}
