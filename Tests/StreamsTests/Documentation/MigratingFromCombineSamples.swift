import Streams
import Testing

/// The sample of the article "Migrating from Combine".
@Suite struct MigratingFromCombineSamples {
    struct DoublingSubscriber<Downstream: Subscriber>: Subscriber where Downstream.Input == Int {
        let combineIdentifier = CombineIdentifier()
        let downstream: Downstream

        var needsEveryValue: Bool { downstream.needsEveryValue }

        func receive(subscription: any Subscription) {
            downstream.receive(subscription: subscription)
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            downstream.receive(2 * input)
        }

        func receive(completion: Subscribers.Completion<Downstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }

    struct Doubling<Upstream: Publisher>: Publisher where Upstream.Output == Int {
        typealias Output = Int
        typealias Failure = Upstream.Failure

        let upstream: Upstream

        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
            upstream.subscribe(DoublingSubscriber(downstream: subscriber))
        }
    }

    @Test func keepsValuesBetweenTwoCalls() async {
        let subject = PassthroughSubject<Int, Never>()
        var iterator = Doubling(upstream: subject).values.makeAsyncIterator()
        for value in 1...3 { subject.send(value) }
        subject.send(completion: .finished)
        for expected in [2, 4, 6, nil] { #expect(await iterator.next() == expected) }
    }

    @Test func articleHasTheSampleThatRuns() throws {
        let article = try ArticleSamples(of: "Sources/Streams/Streams.docc/MigratingFromCombine.md")
        #expect(article.samples.count == 1)
        try article.expectAll()
    }
}
