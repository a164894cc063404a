/// A kind of failure within an ``HTTPError/Reason``: a code, whose raw value is the stable name, and a detail.
///
/// The kinds are structures with static members rather than enumerations, so that a new kind breaks no program.
package protocol FailureKind: Hashable, Sendable {
    associatedtype Code: RawRepresentable<String> & CaseIterable & Hashable & Sendable

    var code: Code { get }
    var detail: FailureDetail { get }

    init(_ code: Code, _ detail: FailureDetail)
}

extension FailureKind {
    /// Returns whether a kind is this one. A kind without a detail matches those of its code with any detail.
    func matches(_ kind: Self) -> Bool {
        code == kind.code && (detail == .none || detail == kind.detail)
    }
}

/// The detail of a kind of failure.
package enum FailureDetail: Hashable, Sendable {
    case none
    case text(String)
    case number(Int)
    case address(IPAddress)
    case duration(Duration)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var duration: Duration? { if case .duration(let duration) = self { duration } else { nil } }
    var address: IPAddress? { if case .address(let address) = self { address } else { nil } }

    /// The detail as text; `nil` if there is none.
    package var description: String? {
        switch self {
        case .none: nil
        case .text(let text): text
        case .number(let number): "\(number)"
        case .address(let address): "\(address)"
        case .duration(let duration): "\(duration)"
        }
    }
}
