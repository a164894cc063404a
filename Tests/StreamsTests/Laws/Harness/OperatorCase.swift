import Streams
import Testing

/// An operator, configured so that it delivers every value of its upstream unchanged.
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

    typealias Application = @Sendable (IntPublisher, LawContext) -> IntPublisher

    let name: String
    let traits: Traits
    private let application: Application

    init(_ name: String, _ traits: Traits = [], _ application: @escaping Application) {
        self.name = name
        self.traits = traits
        self.application = application
    }

    func apply<P: Publisher>(to upstream: P, on context: LawContext = LawContext()) -> IntPublisher
    where P.Output == Int, P.Failure == LawError {
        application(upstream.eraseToAnyPublisher(), context)
    }

    var testDescription: String { name }
}
