/// Something that goes wrong with some of the exchanges of a ``FaultInjectingTransport``.
public struct InjectedFault: Sendable {
    /// What happens.
    public enum Effect: Sendable {
        /// The exchange fails before anything is sent.
        case failure(HTTPError.Reason)
        /// The exchange starts so much later.
        case delay(Duration)
        /// The response's body breaks off after so many bytes. A shorter one breaks off at its end.
        case cut(after: Int, HTTPError.Reason = .transfer(.bodyEndedEarly))
        /// Nothing is sent, and this is the response.
        case response(HTTPStatus, HTTPHeaders = [:])
    }

    /// Which exchanges it happens to.
    public enum Condition: Sendable {
        /// All of them.
        case always
        /// The first has the number 1.
        case numbers(Set<Int>)
        /// Every one whose number is a multiple.
        case every(Int)
        /// So many of them by chance, from 0 for none to 1 for all.
        case probability(Double)
    }

    /// What happens.
    public var effect: Effect
    /// Which exchanges it happens to, of those that can be affected.
    public var condition: Condition
    let isAffected: @Sendable (TransportRequest) -> Bool

    /// - Parameters:
    ///   - effect: What happens.
    ///   - condition: Which exchanges it happens to, of those that can be affected.
    ///   - isAffected: Whether an exchange can be affected at all; all can by default.
    public init(
        _ effect: Effect, _ condition: Condition = .always,
        where isAffected: @escaping @Sendable (TransportRequest) -> Bool = { _ in true }
    ) {
        self.effect = effect
        self.condition = condition
        self.isAffected = isAffected
    }
}
