import Streams
import StreamsTesting
import Testing

@Suite("assign(to:on:ownership:)") struct AssignOwnershipTests {
    private final class Label {
        var text = 0
        var activity: AnyCancellable?
    }

    @Test(
        "Only a strong assignment keeps the object alive", arguments: [Subscribers.Ownership.strong, .weak, .unowned])
    func ownership(_ ownership: Subscribers.Ownership) {
        let lifetimes = LifetimeTracker()
        let subject = CurrentValueSubject<Int, Never>(1)
        weak var kept: Label?
        do {
            let label = Label()
            lifetimes.watch(label, as: "label")
            label.activity = subject.assign(to: \.text, on: label, ownership: ownership)
            #expect(label.text == 1)
            subject.value = 2
            #expect(label.text == 2)
            kept = label
        }
        #expect(lifetimes.alive == (ownership == .strong ? ["label"] : []))
        subject.value = 3
        kept?.activity?.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test("A weak assignment ignores values once the object is gone")
    func late() {
        let subject = PassthroughSubject<Int, Never>()
        var label: Label? = Label()
        let activity = label.map { subject.assign(to: \.text, on: $0, ownership: .weak) }
        label = nil
        subject.send(1)
        #expect(label == nil)
        activity?.cancel()
    }

    @Test("An unowned assignment stops the program at a value that comes once the object is gone")
    func vanished() async {
        await #expect(processExitsWith: .failure) {
            let subject = PassthroughSubject<Int, Never>()
            var label: Label? = Label()
            let activity = label.map { subject.assign(to: \.text, on: $0, ownership: .unowned) }
            label = nil
            subject.send(1)
            activity?.cancel()
        }
    }

    @Test("A completion that comes once the unowned object is gone is no matter")
    func completion() {
        let subject = PassthroughSubject<Int, Never>()
        var label: Label? = Label()
        let activity = label.map { subject.assign(to: \.text, on: $0, ownership: .unowned) }
        label = nil
        subject.send(completion: .finished)
        subject.send(1)
        activity?.cancel()
    }
}
