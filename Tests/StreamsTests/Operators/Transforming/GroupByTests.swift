import Dispatch
import Streams
import StreamsTesting
import Testing

@Suite("group(by:maxGroups:bufferSize:)")
struct GroupByTests {
    private typealias Groups = RecordingSubscriber<Operators.Group<Int, Int, TestError>, TestError>

    private let probe = ProbePublisher<Int, TestError>()

    /// Subscribes to the groups of the last digit.
    private func subscribe(
        _ groups: Groups = Groups(), maxGroups: Int = 256, bufferSize: Int = 256
    ) -> Groups {
        probe.group(by: { $0 % 10 }, maxGroups: maxGroups, bufferSize: bufferSize).subscribe(groups)
        return groups
    }

    private func subscribe(
        to group: Operators.Group<Int, Int, TestError>, _ demand: Subscribers.Demand = .unlimited
    ) -> RecordingSubscriber<Int, TestError> {
        let recorder = RecordingSubscriber<Int, TestError>(initialDemand: demand)
        group.subscribe(recorder)
        return recorder
    }

    @Test("Each key has a publisher of its values, and the completion comes last")
    func dividesByKey() {
        let groups = subscribe()
        for value in [1, 2, 11, 3, 12] { probe.send(value) }
        let recorders = groups.values.map { subscribe(to: $0) }
        probe.send(21)
        probe.send(completion: .finished)
        #expect(groups.values.map(\.key) == [1, 2, 3])
        #expect(recorders.map(\.values) == [[1, 11, 21], [2, 12], [3]])
        #expect(recorders.allSatisfy { $0.completion == .finished })
        #expect(groups.completion == .finished)
    }

    @Test("A failure follows the values of each group")
    func failsEachGroup() {
        let groups = subscribe()
        probe.send(1)
        probe.send(2)
        let first = subscribe(to: groups.values[0])
        probe.send(completion: .failure(.first))
        let second = subscribe(to: groups.values[1])
        #expect(first.events == [.subscription("Group"), .value(1), .failure(.first)])
        #expect(second.events == [.subscription("Group"), .value(2), .failure(.first)])
        #expect(groups.completion == .failure(.first))
    }

    @Test("As many values are requested as were consumed, whatever the group")
    func requestsWhatWasConsumed() {
        let groups = subscribe(bufferSize: 3)
        for value in 1...3 { probe.send(value) }
        #expect(probe.commands == [[.request(.max(3))]])
        let first = subscribe(to: groups.values[0], .max(1))
        #expect(probe.commands == [[.request(.max(3)), .request(.max(1))]])
        probe.send(11)
        #expect(first.values == [1])
        #expect(probe.commands[0].count == 2)
        first.request(.max(2))
        #expect(first.values == [1, 11])
        #expect(probe.commands[0].count == 3)
        probe.send(21)
        #expect(first.values == [1, 11, 21])
        #expect(probe.commands[0].count == 4)
    }

    @Test("For a key beyond the limit, the group that was used least recently finishes")
    func closesTheOldestGroup() {
        let groups = subscribe(maxGroups: 2)
        for value in [1, 2, 11, 3, 12] { probe.send(value) }
        #expect(groups.values.map(\.key) == [1, 2, 3, 2])
        let recorders = groups.values.map { subscribe(to: $0) }
        #expect(recorders.map(\.values) == [[1, 11], [2], [3], [12]])
        #expect(recorders.map { $0.completion == .finished } == [true, true, false, false])
    }

    @Test("A cancelled group does not count as open")
    func countsOnlyOpenGroups() {
        let groups = subscribe(maxGroups: 2)
        probe.send(1)
        probe.send(2)
        let first = subscribe(to: groups.values[0])
        subscribe(to: groups.values[1]).cancel()
        probe.send(3)
        #expect(first.completion == nil)
        probe.send(11)
        #expect(first.values == [1, 11])
        // Now that of the key 3 was used least recently.
        let third = subscribe(to: groups.values[2])
        probe.send(4)
        #expect(third.completion == .finished)
        #expect(first.completion == nil)
    }

    @Test("The group that was used least recently finishes, for random values and cancellations")
    func closesTheOldestOfManyGroups() {
        let random = SeededRandom()
        let probe = ProbePublisher<Int, Never>()
        let groups = RecordingSubscriber<Operators.Group<Int, Int, Never>, Never>()
        probe.group(by: { $0 }, maxGroups: 5).subscribe(groups)
        // The keys of the open groups, the one that was used least recently first.
        var expected: [(key: Int, recorder: RecordingSubscriber<Int, Never>)] = []
        for _ in 0..<2_000 {
            let key = random.pick(0...9)
            if random.pick(0...4) == 0, let index = expected.firstIndex(where: { $0.key == key }) {
                expected.remove(at: index).recorder.cancel()
                continue
            }
            probe.send(key)
            if let index = expected.firstIndex(where: { $0.key == key }) {
                expected.append(expected.remove(at: index))
            } else {
                guard let group = groups.values.last, group.key == key else {
                    Issue.record("no group was opened: \(random)")
                    return
                }
                let recorder = RecordingSubscriber<Int, Never>()
                group.subscribe(recorder)
                if expected.count == 5 {
                    #expect(expected.removeFirst().recorder.completion == .finished, "\(random)")
                }
                expected.append((key, recorder))
            }
            #expect(expected.allSatisfy { $0.recorder.completion == nil }, "\(random)")
        }
    }

    @Test("A value of a cancelled group opens a new one")
    func reopensACancelledGroup() {
        let groups = subscribe(bufferSize: 2)
        probe.send(1)
        probe.send(11)
        let first = subscribe(to: groups.values[0], .max(1))
        first.cancel()
        // Both values are consumed: the one that was delivered and the one that was dropped.
        #expect(probe.commands == [[.request(.max(2)), .request(.max(1)), .request(.max(1))]])
        probe.send(21)
        #expect(groups.values.map(\.key) == [1, 1])
        #expect(subscribe(to: groups.values[1]).values == [21])
        #expect(first.values == [1])
    }

    @Test("The upstream is cancelled when the stream of groups and all groups are")
    func cancelsWithTheLastGroup() {
        let groups = subscribe()
        probe.send(1)
        let first = subscribe(to: groups.values[0])
        groups.cancel()
        probe.send(2)
        probe.send(11)
        #expect(groups.values.count == 1)
        #expect(first.values == [1, 11])
        #expect(!probe.commands[0].contains(.cancel))
        first.cancel()
        #expect(probe.commands[0].last == .cancel)
    }

    @Test("Without groups, a cancellation passes to the upstream")
    func cancelsWithoutGroups() {
        let groups = subscribe()
        groups.cancel()
        #expect(probe.commands[0].last == .cancel)
    }

    @Test("A group that is released without a subscriber drops its values")
    func releasedGroupsHoldNothingUp() {
        let keys = LockedValue<[Int]>([])
        let subscription = probe.group(by: { $0 % 10 }, bufferSize: 2).sink(
            receiveCompletion: { _ in }, receiveValue: { group in keys.update { $0.append(group.key) } })
        for value in [1, 2, 11, 3] { probe.send(value) }
        #expect(keys.value == [1, 2, 1, 3])
        #expect(probe.commands[0].dropFirst().count == 4)
        #expect(probe.commands[0].dropFirst().allSatisfy { $0 == .request(.max(1)) })
        subscription.cancel()
    }

    @Test("A group has one subscriber")
    func aSecondSubscriberFinishesAtOnce() {
        let groups = subscribe()
        probe.send(1)
        let first = subscribe(to: groups.values[0])
        let second = subscribe(to: groups.values[0])
        probe.send(11)
        #expect(first.values == [1, 11])
        #expect(second.values == [])
        #expect(second.completion == .finished)
    }

    @Test("Groups wait for demand")
    func groupsWaitForDemand() {
        let groups = subscribe(Groups(initialDemand: .max(1)))
        for value in [1, 2, 12] { probe.send(value) }
        #expect(groups.values.map(\.key) == [1])
        groups.request(.max(1))
        #expect(groups.values.map(\.key) == [1, 2])
        #expect(subscribe(to: groups.values[1]).values == [2, 12])
    }

    @Test("Cancellation releases the values and the closures")
    func releasesEverything() {
        let lifetimes = LifetimeTracker()
        let subject = PassthroughSubject<LifetimeToken, Never>()
        do {
            let token = lifetimes.token("closure")
            let subscription = subject.group { _ in withExtendedLifetime(token) { 0 } }
                .flatMap(maxPublishers: .max(1)) { $0 }
                .sink { _ in withExtendedLifetime(token) {} }
            subject.send(lifetimes.token("value"))
            subscription.cancel()
        }
        #expect(lifetimes.alive == [])
    }

    @Test("Groups are consumed, cancelled and reopened on many threads, each in order")
    func isSafeOnManyThreads() {
        let queue = DispatchQueue(label: "groups", attributes: .concurrent)
        let last = LockedValue([Int](repeating: -1, count: 10))
        let disorder = LockedValue(0)
        let finished = DispatchSemaphore(value: 0)
        let subscription = (0..<20_000).publisher.group(by: { $0 % 10 }, bufferSize: 50)
            .flatMap { group in
                group.receive(on: queue).prefix(37).handleEvents(receiveOutput: { value in
                    last.update { last in
                        if last[group.key] >= value { disorder.update { $0 += 1 } }
                        last[group.key] = value
                    }
                })
            }
            .sink(receiveCompletion: { _ in finished.signal() }, receiveValue: { _ in })
        finished.wait()
        #expect(disorder.value == 0)
        subscription.cancel()
    }
}
