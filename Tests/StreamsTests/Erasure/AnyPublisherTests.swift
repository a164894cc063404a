import StreamsTesting
import Testing

@testable import Streams

@Suite struct AnyPublisherTests {
    @Test func deliversTheSignalsOfItsPublisher() {
        let erased = [1, 2, 3].publisher.eraseToAnyPublisher()
        let recorder = RecordingSubscriber<Int, Never>()
        erased.subscribe(recorder)
        #expect(recorder.transcript == ["subscription [1, 2, 3]", "1", "2", "3", "finished"])
        #expect(erased.description == "AnyPublisher")
    }

    @Test func erasingTwiceSharesTheBox() {
        let once = AnyPublisher(Just(1))
        let twice = once.eraseToAnyPublisher()
        #expect(once.box === twice.box)
    }

    @Test func isSendableInFrontOfAnOpaqueType() async {
        struct Feeds: Sendable { let prices: AnyPublisher<Int, Never> }
        func prices() -> some Publisher<Int, Never> { [1, 2].publisher.map { $0 * 2 } }
        let feeds = Feeds(prices: prices().eraseToAnyPublisher())
        #expect(await Task.detached { await feeds.prices.collect().first().value }.value == [2, 4])
    }

    @Test func preservesTheSubscribersIdentifierAndDescription() {
        struct Inspecting: Publisher {
            typealias Failure = Never
            typealias Output = Int
            let inspect: @Sendable (any Subscriber) -> Void

            func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
                inspect(subscriber)
            }
        }
        let sink = Subscribers.Sink<Int, Never>(receiveCompletion: { _ in }, receiveValue: { _ in })
        let identifier = sink.combineIdentifier
        let publisher = Inspecting { subscriber in
            #expect(subscriber.combineIdentifier == identifier)
            #expect(String(describing: subscriber) == "Sink")
        }
        publisher.eraseToAnyPublisher().subscribe(sink)
    }

    @Test func releasesALongChainOnASmallStack() {
        onSmallStack {
            let lifetimes = LifetimeTracker()
            var chain = Just(0).eraseToAnyPublisher().map { [token = lifetimes.token("closure")] value in
                withExtendedLifetime(token) { value }
            }.eraseToAnyPublisher()
            for _ in 0..<1_000_000 { chain = chain.map { $0 }.eraseToAnyPublisher() }
            #expect(lifetimes.alive == ["closure"])
            chain = Empty().eraseToAnyPublisher()
            _ = chain
            #expect(lifetimes.alive == [])
        }
    }
}
