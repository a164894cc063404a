import Streams
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// `StackLaws` and `AnyPublisherTests` test the teardown of a chain of a million links.
@Suite("Rule 5: a million synchronous steps run on a stack of 512 KiB", .serialized)
struct MillionLaws {
    private static let million = 1_000_000

    /// The number of steps where each takes several microseconds without optimisation.
    ///
    /// `STREAMS_LAW_STEPS=1000000` in the environment raises it to a million, which takes five to fifteen seconds a test.
    private static let reduced = getenv("STREAMS_LAW_STEPS").flatMap { Int(String(cString: $0)) } ?? 100_000

    /// A publisher that takes many synchronous steps, and the number of values it delivers.
    struct Steps: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let values: Int
        let make: @Sendable () -> IntPublisher

        init<P: Publisher<Int, LawError> & SendableMetatype>(
            _ name: String, values: Int, _ make: @escaping @Sendable () -> P
        ) {
            testDescription = name
            self.values = values
            self.make = { make().eraseToAnyPublisher() }
        }

        static let all: [Steps] = [
            Steps("attempts", values: 0) { Fail<Int, LawError>(error: .failed).retry(million) },
            Steps("repetitions", values: 0) { Empty<Int, LawError>().repeat(million) },
            Steps("deliveries by a scheduler", values: reduced) {
                count(to: reduced).receive(on: ImmediateScheduler.shared)
            },
            Steps("attempts with a delay of zero", values: 0) {
                Fail<Int, LawError>(error: .failed)
                    .retry(reduced, backoff: .constant(.zero), scheduler: ImmediateScheduler.shared)
            },
            Steps("concatenations", values: reduced) { count(to: reduced).concatMap { _ in count(to: 1) } },
            Steps("merged inner publishers", values: reduced) { count(to: reduced).flatMap { _ in count(to: 1) } },
            Steps("inner publishers, the first only", values: reduced) {
                count(to: reduced).flatMapFirst { _ in count(to: 1) }
            },
            Steps("inner publishers, the latest only", values: reduced) {
                count(to: reduced).flatMapLatest { _ in count(to: 1) }
            },
            Steps("expansions", values: reduced) {
                count(to: 1).expand { value in
                    value < reduced - 1
                        ? Just(value + 1).setFailureType(to: LawError.self).eraseToAnyPublisher()
                        : Empty().eraseToAnyPublisher()
                }
            },
        ]
    }

    @Test("Synchronous steps do not grow the stack", arguments: Steps.all)
    func stepsKeepTheStackFlat(_ steps: Steps) {
        let counter = UncheckedTransfer(IntCounter(demand: .unlimited))
        onSmallStack { steps.make().subscribe(counter.value) }
        #expect(counter.value.count == steps.values)
        #expect(counter.value.isCompleted)
    }

    @Test("Values sent while a value is delivered do not grow the stack")
    func nestedSendsKeepTheStackFlat() {
        let counter = Counter()
        onSmallStack {
            let subject = IntSubject()
            let subscriber = IntCounter(demand: .unlimited) { value in
                counter.increment()
                if value < Self.million { subject.send(value + 1) }
            }
            subject.subscribe(subscriber)
            subject.send(1)
        }
        #expect(counter.value == Self.million)
    }
}
