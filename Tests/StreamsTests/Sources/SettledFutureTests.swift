import Streams
import Testing

@Suite struct SettledFutureTests {
    @Test func subscriptionsShowTheFutureUntilTheyAreOver() throws {
        // Used on this thread alone.
        nonisolated(unsafe) var received: (any Subscription)?
        let subscriber = AnySubscriber<Int, Never>(receiveSubscription: { received = $0 })
        weak var kept: Future<Int, Never>?
        do {
            let future = Future<Int, Never> { $0(.success(1)) }
            kept = future
            future.subscribe(subscriber)
        }
        let subscription = try #require(received)
        let parent = { String(describing: Mirror(reflecting: subscription).descendant("parent") ?? "missing") }
        #expect(parent().contains("Future"))
        subscription.cancel()
        #expect(parent() == "nil")
        #expect(kept == nil)
    }
}
