import Streams
import Testing

/// An operator, set up so that it passes on whatever comes.
struct OperatorCase: Sendable, CustomTestStringConvertible {
    struct Traits: OptionSet, Sendable {
        let rawValue: Int

        /// It hands the upstream's signals down as they are and remembers nothing, so it passes breaches of the
        /// contract on to a subscriber or operator that does.
        static let transparent = Traits(rawValue: 1)

        /// It asks for all there is, and values that nobody has asked for are lost.
        static let hot = Traits(rawValue: 2)

        /// What comes out is delivered by a scheduler.
        static let scheduled = Traits(rawValue: 4)

        /// It does something else than to end when the upstream fails.
        static let recovers = Traits(rawValue: 8)

        /// It asks the upstream for less than it is asked for, or later, so that a subject may send values nobody has
        /// asked for.
        static let holdsBack = Traits(rawValue: 16)

        /// Its very purpose is to drop what nobody has asked for, so what is awaited behind it may have gaps.
        static let dropsUnrequested = Traits(rawValue: 32)

        /// It counts the demand and ignores values beyond it.
        static let countsDemand = Traits(rawValue: 64)

        /// Who subscribes later gets what came before as well.
        static let replays = Traits(rawValue: 256)

        /// Its end may wait for demand: a value comes before it, or another publisher that has to be asked to end.
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
