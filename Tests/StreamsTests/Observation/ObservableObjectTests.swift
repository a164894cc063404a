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

    @Test("It tells before any published property changes, inherited ones too")
    func signals() {
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

    @Test("The publisher is the same each time, on several threads too")
    func identity() {
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

    @Test("An object of one's own publisher, or without published properties, is an observable object too")
    func others() {
        let custom = Custom()
        let count = LockedValue(0)
        let watching = custom.objectWillChange.sink { _ in count.update { $0 += 1 } }
        custom.number = 1
        #expect(count.value == 0)
        watching.cancel()
        Plain().objectWillChange.send()
    }

    @Test("A subscriber that has asked for one signal gets them all")
    func demand() {
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

/// A value that a test promises to use well on several threads.
private struct Unchecked<Value>: @unchecked Sendable {
    // Safe because what the tests call on it is.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
