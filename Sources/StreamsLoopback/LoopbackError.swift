/// What can go wrong with a server, or with waiting for something to happen on it.
public enum LoopbackError: Error, Sendable, Hashable {
    /// The address could not be listened on; `code` is the system's `errno`.
    case cannotListen(on: String, code: Int32)
    /// What was waited for did not happen within the time given; the text says what had happened by then.
    case timedOut(String)
    /// What was waited for can no longer happen; the text says why.
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
