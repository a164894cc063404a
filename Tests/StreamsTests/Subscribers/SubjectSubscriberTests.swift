import Streams
import Synchronization
import Testing

@Suite
struct SubjectSubscriberTests {
    /// A subject of a program's own that keeps the descriptions of its subscriptions.
    private final class DescribingSubject: Subject {
        typealias Output = Int
        typealias Failure = Never

        let descriptions = Mutex<[String]>([])

        func send(subscription: any Subscription) {
            descriptions.withLock { $0.append("\(subscription)") }
        }

        func send(_ value: Int) {}
        func send(completion: Subscribers.Completion<Never>) {}
        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {}
    }

    @Test func subscriptionDescribesItselfAsInCombine() {
        let subject = DescribingSubject()
        let subscription = PassthroughSubject<Int, Never>().subscribe(subject)
        #expect(subject.descriptions.withLock { $0 } == ["Subject"])
        subscription.cancel()
    }
}
