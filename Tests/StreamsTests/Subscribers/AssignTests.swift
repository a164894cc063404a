import Streams
import StreamsTesting
import Testing

@Suite struct AssignTests {
    final class Target {
        var value = 0
    }

    @Test func setsTheProperty() {
        let target = Target()
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = subject.assign(to: \.value, on: target)
        subject.send(3)
        #expect(target.value == 3)
        cancellable.cancel()
        subject.send(4)
        #expect(target.value == 3)
    }

    @Test(arguments: [true, false])
    func endReleasesTheObject(byCompletion: Bool) {
        var target: Target? = Target()
        let weak = Weak(object: target)
        let subject = PassthroughSubject<Int, Never>()
        let cancellable = target.map { subject.assign(to: \.value, on: $0) }
        target = nil
        #expect(weak.object != nil)
        if byCompletion { subject.send(completion: .finished) } else { cancellable?.cancel() }
        #expect(weak.object == nil)
        withExtendedLifetime(cancellable) {}
    }
}

@Suite("assign(to:on:ownership:)") struct AssignOwnershipTests {
    private final class Label {
        var text = 0
        var cancellable: AnyCancellable?
    }

    @Test(
        "Only a strong assignment retains the object", arguments: [Subscribers.Ownership.strong, .weak, .unowned])
    func retainsTheObjectOnlyIfStrong(_ ownership: Subscribers.Ownership) {
        let lifetimes = LifetimeTracker()
        let subject = CurrentValueSubject<Int, Never>(1)
        weak var released: Label?
        do {
            let label = Label()
            lifetimes.watch(label, as: "label")
            label.cancellable = subject.assign(to: \.text, on: label, ownership: ownership)
            #expect(label.text == 1)
            subject.value = 2
            #expect(label.text == 2)
            released = label
        }
        #expect(lifetimes.alive == (ownership == .strong ? ["label"] : []))
        subject.value = 3
        released?.cancellable?.cancel()
        #expect(lifetimes.alive == [])
    }

    @Test("A weak assignment ignores values after the object's release")
    func weakAssignmentIgnoresLaterValues() {
        let subject = PassthroughSubject<Int, Never>()
        var label: Label? = Label()
        let cancellable = label.map { subject.assign(to: \.text, on: $0, ownership: .weak) }
        label = nil
        subject.send(1)
        #expect(label == nil)
        cancellable?.cancel()
    }

    @Test("An unowned assignment traps on a value after the object's release")
    func unownedAssignmentTrapsOnLaterValues() async {
        await #expect(processExitsWith: .failure) {
            let subject = PassthroughSubject<Int, Never>()
            var label: Label? = Label()
            let cancellable = label.map { subject.assign(to: \.text, on: $0, ownership: .unowned) }
            label = nil
            subject.send(1)
            cancellable?.cancel()
        }
    }

    @Test("An unowned assignment ignores signals after a completion that follows the object's release")
    func unownedAssignmentIgnoresALaterCompletion() {
        let subject = PassthroughSubject<Int, Never>()
        var label: Label? = Label()
        let cancellable = label.map { subject.assign(to: \.text, on: $0, ownership: .unowned) }
        label = nil
        subject.send(completion: .finished)
        subject.send(1)
        cancellable?.cancel()
    }
}
