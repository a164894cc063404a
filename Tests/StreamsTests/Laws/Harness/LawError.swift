import Streams
import StreamsTesting

/// The failure of the publishers that the laws test.
enum LawError: Error, Equatable {
    case failed
    case other
}

typealias IntPublisher = AnyPublisher<Int, LawError>
typealias IntRecorder = RecordingSubscriber<Int, LawError>
typealias IntSubject = PassthroughSubject<Int, LawError>
typealias IntProbe = ProbePublisher<Int, LawError>

/// Returns a publisher of the numbers from 0 up to, but not including, a bound, delivered on request.
func count(to bound: Int) -> Publishers.Sequence<Range<Int>, LawError> {
    Publishers.Sequence(sequence: 0..<bound)
}

extension Publisher {
    /// Restores the failure type that operators with throwing closures erase.
    func restoringLawError() -> AnyPublisher<Output, LawError> {
        mapError { $0 as? LawError ?? .other }.eraseToAnyPublisher()
    }
}
