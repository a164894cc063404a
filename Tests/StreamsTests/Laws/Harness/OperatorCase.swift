import Streams
import Testing

/// An operator, configured so that it delivers the values of its upstream unchanged.
///
/// The operator subscribes to the tested upstream itself, and its values reach the tested subscriber through operators
/// without a state alone. Another operator in between would hide a breach of the contract by either side.
struct OperatorCase: Sendable, CustomTestStringConvertible {
    struct Traits: OptionSet, Sendable {
        let rawValue: Int

        /// The operator hands the upstream's subscription down and keeps no state, so it forwards signals that break
        /// the contract.
        static let transparent = Traits(rawValue: 1)

        /// The operator requests unlimited values, and may drop those that the subscriber has not requested.
        static let hot = Traits(rawValue: 2)

        /// A scheduler delivers the values.
        static let scheduled = Traits(rawValue: 4)

        /// The operator handles a failure of the upstream instead of forwarding it.
        static let recovers = Traits(rawValue: 8)

        /// The operator requests fewer values than the subscriber, or requests them later, so that a subject may drop
        /// values.
        static let holdsBack = Traits(rawValue: 16)

        /// The operator's purpose is to drop unrequested values, so its asynchronous sequence may have gaps.
        static let dropsUnrequested = Traits(rawValue: 32)

        /// The operator counts the demand and ignores values beyond it.
        static let countsDemand = Traits(rawValue: 64)

        /// The scheduler subscribes to the upstream.
        static let subscribesLater = Traits(rawValue: 128)

        /// A later subscriber also receives earlier values.
        static let replays = Traits(rawValue: 256)

        /// The completion may wait for demand, because the operator delivers a value before it or requests values of
        /// another publisher.
        static let endsOnDemand = Traits(rawValue: 1024)
    }

    /// The relation of the values that an operator delivers to those that it receives.
    enum Delivery: Sendable {
        /// Each value when it comes.
        case each

        /// Each value but the first, when it comes.
        case allButFirst

        /// Each value when the next one comes, and the last one before the completion.
        case delayed

        /// The first of two values when the second one comes, and a single last one before the completion.
        case firstOfTwo

        /// Each value when it comes, and -1 before the completion of an empty stream.
        case eachOrReplacement

        /// Each value when it comes, and the largest number before the completion.
        case eachAndEnd
    }

    typealias Application = @Sendable (IntPublisher, LawContext) -> IntPublisher

    let name: String
    let traits: Traits
    private let delivery: Delivery
    private let application: Application

    init(
        _ name: String, _ traits: Traits = [], delivering delivery: Delivery = .each,
        _ application: @escaping Application
    ) {
        self.name = name
        self.traits = traits
        self.delivery = delivery
        self.application = application
    }

    func apply<P: Publisher>(to upstream: P, on context: LawContext = LawContext()) -> IntPublisher
    where P.Output == Int, P.Failure == LawError {
        application(upstream.eraseToAnyPublisher(), context)
    }

    /// Returns the values that the operator delivers with unlimited demand.
    ///
    /// - Parameters:
    ///   - values: The values that the operator receives.
    ///   - isFinished: Whether it then receives the completion, which is not a failure.
    func output(of values: some Collection<Int>, isFinished: Bool = false) -> [Int] {
        switch delivery {
        case .each: Array(values)
        case .allButFirst: Array(values.dropFirst())
        case .delayed: Array(isFinished ? values.dropLast(0) : values.dropLast())
        case .firstOfTwo:
            values.enumerated().filter { index, _ in
                index.isMultiple(of: 2) && (isFinished || index + 1 < values.count)
            }.map(\.element)
        case .eachOrReplacement: isFinished && values.isEmpty ? [-1] : Array(values)
        case .eachAndEnd: values + (isFinished ? [.max] : [])
        }
    }

    /// The first numbers from 0 after which the operator delivers a value.
    var opening: Range<Int> { output(of: 0..<1).isEmpty ? 0..<2 : 0..<1 }

    /// The first value that the operator delivers of the numbers from 0.
    var firstValue: Int? { output(of: opening).first }

    var testDescription: String { name }
}

/// The conditions under which a law holds for an operator.
extension OperatorCase {
    /// Whether the operator has a subscription of its own. The others hand the upstream's subscription down and forward
    /// signals out of turn.
    var isStateful: Bool { !traits.contains(.transparent) }

    /// Whether the operator ignores values beyond the demand.
    var countsDemand: Bool { traits.contains(.countsDemand) }

    /// Whether a completion without a value before it is delivered without demand.
    var completesWithoutDemand: Bool { !traits.contains(.endsOnDemand) }

    /// Whether the operator delivers, and cancels the upstream, on the calling thread.
    var isImmediate: Bool {
        let deliversImmediately = ["immediately", "debounce(", "throttle("].contains { name.contains($0) }
        return (!traits.contains(.scheduled) || deliversImmediately)
            && !traits.contains(.subscribesLater)
            // Its closure has returned nothing to cancel yet.
            && name != "AnyPublisher.create(_:)"
    }

    /// Whether the operator delivers before it subscribes to another publisher than the tested upstream.
    var isPushing: Bool { isImmediate && !name.hasPrefix("zip") && !name.hasPrefix("race") }

    /// Whether the operator hands its subscription down before it requests all values of a source.
    var deliversEndlessSources: Bool { isImmediate && name != "buffer(size:prefetch:whenFull:), by request" }

    /// Whether the operator requests no more than its subscriber, or a few values. The others take all of an endless
    /// source before the first request, wherever it is made, or after the cancellation, as `group(by:)` for a subscriber
    /// that keeps no group: while the first of the waiting groups is released, values are requested for the others.
    var isBounded: Bool {
        if name.hasPrefix("flatMap("), !traits.contains(.holdsBack) { return false }
        let takesAll = name.hasPrefix("onBackpressureBuffer") || name == "group(by:maxGroups:bufferSize:), keys"
        return isImmediate && !takesAll && !traits.contains(.hot)
    }

    /// Whether the operator delivers every value of a source to an asynchronous sequence, without a scheduler.
    var isIterable: Bool { traits.isDisjoint(with: [.scheduled, .dropsUnrequested, .subscribesLater]) }

    /// Whether the operator forwards the requests of an asynchronous sequence immediately, so that it misses no value of
    /// a subject.
    var isIterableWithoutLoss: Bool { isIterable && !traits.contains(.holdsBack) }

    /// Whether the operator requests at most a few values more than an asynchronous sequence.
    var isIterableOnDemand: Bool {
        let requestsUnlimited = [
            "AnyPublisher.create(_:)", "combineLatest(", "flatMap(maxPublishers:_:)", "onBackpressureBuffer(",
        ]
        return isIterable && !traits.contains(.hot)
            && (traits.contains(.holdsBack) || !requestsUnlimited.contains { name.hasPrefix($0) })
    }
}
