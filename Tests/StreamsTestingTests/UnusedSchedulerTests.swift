import Streams
import StreamsTesting
import Testing

@Suite("An unused scheduler")
struct UnusedSchedulerTests {

    private func uses(by body: (UnusedScheduler) -> Void) -> [UnusedScheduler.Use.Purpose] {
        let log = UseLog()
        body(UnusedScheduler { log.add($0) })
        return log.purposes
    }

    @Test("Reports every use and runs no action")
    func reports() {
        let purposes = uses { scheduler in
            scheduler.schedule { Issue.record("work was run") }
            scheduler.schedule(after: .start) { Issue.record("work was run") }
            scheduler.schedule(after: .start, interval: 1) { Issue.record("work was run") }.cancel()
            _ = scheduler.now
        }
        #expect(purposes == [.work, .laterWork, .repeatedWork, .time])
    }

    @Test("Reports an operator that uses it, and none without a subscriber")
    func operators() {
        let unused = uses { _ = Just(1).receive(on: $0) }
        #expect(unused == [])
        let used = uses { Just(1).receive(on: $0).subscribe(RecordingSubscriber<Int, Never>()) }
        #expect(used.contains(.work))
    }

    @Test("The description names the file and line of the scheduler")
    func description() {
        let log = UseLog()
        UnusedScheduler(fileID: "M/f.swift", line: 5) { log.add($0) }.schedule {}
        let expected = "the scheduler created at M/f.swift:5 must not be used, but was used for work at once"
        #expect(log.descriptions == [expected])
    }

    @Test("By default the process stops")
    func defaultStops() async {
        await #expect(processExitsWith: .failure) {
            UnusedScheduler().schedule {}
        }
    }
}

private final class UseLog: Sendable {
    private let uses = Locked<[UnusedScheduler.Use]>([])

    var purposes: [UnusedScheduler.Use.Purpose] { uses.withLock { $0 }.map(\.purpose) }
    var descriptions: [String] { uses.withLock { $0 }.map(\.description) }

    func add(_ use: UnusedScheduler.Use) {
        uses.withLock { $0.append(use) }
    }
}
