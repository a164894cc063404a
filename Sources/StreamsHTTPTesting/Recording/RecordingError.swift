/// The error of a recording that another version of the package has made. Make the recording again.
public enum RecordingError: Error, Hashable, Sendable {
    /// The session has another format than ``RecordedSession/format``.
    case format(Int)
    /// An exchange has a failure whose name is unknown; the name and the exchange's number.
    case failureName(String, exchange: Int)
}

extension RecordingError: CustomStringConvertible {
    /// A description of the error, in one line.
    public var description: String {
        switch self {
        case .format(let format):
            "the recording has the format \(format) instead of \(RecordedSession.format); make it again"
        case .failureName(let name, let number):
            "the failure \(name.debugDescription) of the recorded exchange \(number) is unknown; make the recording again"
        }
    }
}
