/// A stage of an exchange, for monitors.
public enum ExchangeStage: Sendable {
    /// The request is about to be passed to the transport, or begins to wait for a permit (<doc:ProtectingServers>).
    case started
    /// There is a connection, on which the request is about to be sent, if the transport tells: one that was open before,
    /// or a new one. The remote address is numeric, with a colon and the port; `nil` if it is unknown.
    case connected(isReused: Bool, remoteAddress: String?)
    /// The head of the response has arrived, whatever its status. A head of a redirect is told here only.
    case head(HTTPResponse<Void>)
    /// The exchange has ended: with a whole response, or with a failure. The failure is
    /// ``HTTPError/Reason/cancelled`` if the client broke it off, also because it does not need the rest of the response.
    case ended(HTTPError.Reason?)
}
