/// The detail of a kind of failure within an ``HTTPError/Reason``.
///
/// The kinds are structures with static members rather than enumerations, so that a new kind breaks no program.
package enum FailureDetail: Hashable, Sendable {
    case none
    case text(String)
    case number(Int)
    case address(IPAddress)
    case duration(Duration)
    case violation(ProtocolViolation)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var duration: Duration? { if case .duration(let duration) = self { duration } else { nil } }
    var violation: ProtocolViolation? { if case .violation(let violation) = self { violation } else { nil } }
    var address: IPAddress? { if case .address(let address) = self { address } else { nil } }

    /// Returns whether another detail is this one. Without a detail, this matches any.
    func matches(_ other: Self) -> Bool { self == .none || self == other }

    /// The detail as text; `nil` if there is none.
    package var description: String? {
        switch self {
        case .none: nil
        case .text(let text): text
        case .number(let number): "\(number)"
        case .address(let address): "\(address)"
        case .duration(let duration): "\(duration)"
        case .violation(let violation): violation.rawValue
        }
    }
}
