import Streams

/// A breach of the contract that a checker found between a publisher and a subscriber.
///
/// Its description names the rule, the breach and the checker:
///
/// ```
/// rule 2: the publisher delivered a value after the completion (numbers, MyTests/NumbersTests.swift:12)
/// ```
public struct ContractBreach: Hashable, Sendable {
    /// The party that broke the contract, and the kind of breach.
    public enum Kind: Hashable, Sendable {
        /// A breach by the publisher.
        case publisher(ContractViolation)

        /// A breach by the subscriber.
        case subscriber(SubscriberViolation)
    }

    /// A signal from a publisher to a subscriber.
    public enum Signal: Hashable, Sendable {
        /// `receive(subscription:)`.
        case subscription

        /// `receive(_:)`.
        case value

        /// `receive(completion:)`.
        case completion
    }

    /// The party that broke the contract, and the kind of breach.
    public let kind: Kind

    /// The signal with which the publisher broke the contract, nil if the subscriber did.
    public let signal: Signal?

    /// The label of the checker, nil if it has none.
    public let label: String?

    /// The file that calls `checkingContract`.
    public let fileID: String

    /// The line that calls `checkingContract`.
    public let line: UInt
}

extension ContractBreach {
    /// The number of the broken rule of the contract.
    public var rule: Int {
        switch kind {
        case .publisher(let violation): violation.rule
        case .subscriber(let violation): violation.rule
        }
    }
}

extension ContractBreach: CustomStringConvertible {
    public var description: String {
        let place = [label, "\(fileID):\(line)"].compactMap(\.self).joined(separator: ", ")
        return "rule \(rule): \(sentence) (\(place))"
    }

    private var sentence: String {
        switch kind {
        case .publisher(let violation): violation.sentence(about: signal?.noun ?? "a signal")
        case .subscriber(let violation): violation.sentence
        }
    }
}

extension ContractBreach.Signal {
    fileprivate var noun: String {
        switch self {
        case .subscription: "a subscription"
        case .value: "a value"
        case .completion: "a completion"
        }
    }
}

/// An error that lists breaches of the contract.
public struct ContractError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The breaches, in the order in which they were found.
    public let breaches: [ContractBreach]

    /// The breaches, one on each line.
    public var description: String { breaches.map(\.description).joined(separator: "\n") }
}
