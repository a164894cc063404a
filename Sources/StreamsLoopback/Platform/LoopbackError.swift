/// An error of a server, or of waiting for a condition on it.
public enum LoopbackError: Error, Sendable, Hashable {
    /// The server cannot listen on the address; `code` is the system's `errno`.
    case cannotListen(on: String, code: Int32)
    /// The condition was not met in time. The text describes the state at that time.
    case timedOut(String)
    /// The condition cannot be met any more. The text describes the reason.
    case impossible(String)
}

extension LoopbackError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotListen(let address, let code): "cannot listen on \(address): \(describeSystemError(code))"
        case .timedOut(let text): "timed out: \(text)"
        case .impossible(let text): text
        }
    }
}
