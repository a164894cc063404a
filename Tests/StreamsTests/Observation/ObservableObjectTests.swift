import Streams
import StreamsTesting
import Testing

@Suite("ObservableObject", .timeLimit(.minutes(15)))
struct ObservableObjectTests {
    class Base {
        @Published var inherited = 0
        var plain = 0
    }

    final class Derived: Base, ObservableObject {
        @Published var own = ""
        @Published var other = false
    }

    final class Plain: ObservableObject {
        var number = 0
    }

    final class Custom: ObservableObject {
        let objectWillChange = PassthroughSubject<Int, Never>()
        @Published var number = 0
    }

    @Test("Sends a signal before any published property changes, including inherited ones")
    func signalsChangesOfProperties() {
        let object = Derived()
        let count = LockedValue(0)
        let watching = object.objectWillChange.sink { count.update { $0 += 1 } }
        object.own = "changed"
        object.other.toggle()
        object.inherited += 1
        object.plain += 1
        #expect(count.value == 3)
        watching.cancel()
        object.inherited += 1
        #expect(count.value == 3)
    }

    @Test("Returns the same publisher each time, on several threads")
    func returnsTheSamePublisher() {
        for _ in 0..<50 {
            let object = Unchecked(Derived())
            let found = LockedValue<Set<ObjectIdentifier>>([])
            concurrently(4) { _ in
                let publisher = object.value.objectWillChange
                found.update { _ = $0.insert(ObjectIdentifier(publisher)) }
                withExtendedLifetime(publisher) {}
            }
            #expect(found.value == [ObjectIdentifier(object.value.objectWillChange)])
        }
    }

    @Test("An object can have a publisher of its own, or no published properties")
    func supportsOtherPublishers() {
        let custom = Custom()
        let count = LockedValue(0)
        let watching = custom.objectWillChange.sink { _ in count.update { $0 += 1 } }
        custom.number = 1
        #expect(count.value == 0)
        watching.cancel()
        Plain().objectWillChange.send()
    }

    @Test("A subscriber that has requested one signal receives all signals")
    func demandIsUnlimited() {
        let publisher = ObservableObjectPublisher()
        let count = LockedValue(0)
        let subscription = LockedValue<(any Subscription)?>(nil)
        let subscriber = AnySubscriber<Void, Never>(
            receiveSubscription: { received in subscription.update { $0 = received } },
            receiveValue: {
                count.update { $0 += 1 }
                return .none
            })
        publisher.subscribe(subscriber)
        publisher.send()
        #expect(count.value == 0)
        subscription.value?.request(.max(1))
        publisher.send()
        publisher.send()
        #expect(count.value == 2)
        #expect(subscription.value.map { "\($0)" } == "ObservableObjectPublisher")
        subscription.value?.cancel()
        publisher.send()
        #expect(count.value == 2)
    }
}

/// A value that tests use on several threads.
private struct Unchecked<Value>: @unchecked Sendable {
    // Safe because the tests only call functions that may be called from any thread.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
