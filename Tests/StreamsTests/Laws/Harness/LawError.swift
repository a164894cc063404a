import Streams
import StreamsTesting

/// The failure of the streams that the laws are tried on.
enum LawError: Error, Equatable {
    case failed
    case other
}

typealias IntPublisher = AnyPublisher<Int, LawError>
typealias IntRecorder = RecordingSubscriber<Int, LawError>
typealias IntSubject = PassthroughSubject<Int, LawError>
typealias IntProbe = ProbePublisher<Int, LawError>

/// A publisher of the numbers from 0 up to, and without, a bound, which delivers as it is asked.
func count(to bound: Int) -> Publishers.Sequence<Range<Int>, LawError> {
    Publishers.Sequence(sequence: 0..<bound)
}

extension Publisher {
    /// Undoes what operators with throwing closures do to the failure.
    func restoringLawError() -> AnyPublisher<Output, LawError> {
        mapError { $0 as? LawError ?? .other }.eraseToAnyPublisher()
    }
}
