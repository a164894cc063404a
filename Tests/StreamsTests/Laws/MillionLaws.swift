import Streams
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How a chain of a million is torn down, ``StackLaws`` and `AnyPublisherTests` tell.
@Suite("Rule 5, literally: a million synchronous steps on a stack of 512 KiB", .serialized)
struct MillionLaws {
    private static let million = 1_000_000

    /// Of those steps that take several microseconds each without optimisation. `STREAMS_LAW_STEPS=1000000` in the
    /// environment makes it a million of them too, which takes five to fifteen seconds a test.
    private static let dear = getenv("STREAMS_LAW_STEPS").flatMap { Int(String(cString: $0)) } ?? 100_000

    /// What takes so many steps, and how many values come of them.
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
            Steps("deliveries by a scheduler", values: million) {
                count(to: million).receive(on: ImmediateScheduler.shared)
            },
            Steps("attempts with a delay of zero", values: 0) {
                Fail<Int, LawError>(error: .failed)
                    .retry(dear, backoff: .constant(.zero), scheduler: ImmediateScheduler.shared)
            },
            Steps("concatenations", values: dear) { count(to: dear).concatMap { _ in count(to: 1) } },
            Steps("inner publishers at once", values: dear) { count(to: dear).flatMap { _ in count(to: 1) } },
            Steps("inner publishers, the first only", values: dear) {
                count(to: dear).flatMapFirst { _ in count(to: 1) }
            },
            Steps("inner publishers, the latest only", values: dear) {
                count(to: dear).flatMapLatest { _ in count(to: 1) }
            },
            Steps("expansions", values: dear) {
                count(to: 1).expand { value in
                    value < dear - 1
                        ? Just(value + 1).setFailureType(to: LawError.self).eraseToAnyPublisher()
                        : Empty().eraseToAnyPublisher()
                }
            },
        ]
    }

    @Test("Steps that are taken at once", arguments: Steps.all)
    func steps(_ steps: Steps) {
        let counter = UncheckedTransfer(IntCounter(demand: .unlimited))
        onSmallStack { steps.make().subscribe(counter.value) }
        #expect(counter.value.count == steps.values)
        #expect(counter.value.isOver)
    }

    @Test("Values sent from inside the one before")
    func values() {
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
