import Streams
import Testing

@Suite("tryFilter and tryCompactMap")
struct TryFilterTests {
    @Test func filterEndsWithTheErrorThrown() {
        let probe = Probe<Int, Never>()
        let recorder = Recorder<Int, any Error>(.max(3)) { _, _ in .max(4) }
        probe.tryFilter { if $0 == 3 { throw Oops.one } else { $0.isMultiple(of: 2) } }.subscribe(recorder)
        #expect(probe.send(1) == .max(1))
        #expect(probe.send(2) == .max(4))
        #expect(probe.send(3) == .none)
        probe.send(4)
        probe.send(completion: .finished)
        #expect(recorder.signals == [.subscription("TryFilter"), .value(2), .failure("one")])
        #expect(probe.orders == [[.request(.max(3)), .cancel]])
    }

    @Test func filterPassesTheCompletionOn() {
        let recorder = Recorder<Int, any Error>()
        [1, 2].publisher.tryFilter { $0 > 1 }.subscribe(recorder)
        #expect(recorder.signals == [.subscription("TryFilter"), .value(2), .finished])
    }

    @Test func compactMapEndsWithTheErrorThrown() {
        let probe = Probe<String, Never>()
        let recorder = Recorder<Int, any Error>(.max(3)) { _, _ in .max(4) }
        probe.tryCompactMap { if $0.isEmpty { throw Oops.two } else { Int($0) } }.subscribe(recorder)
        #expect(probe.send("x") == .max(1))
        #expect(probe.send("2") == .max(4))
        #expect(probe.send("") == .none)
        probe.send("4")
        #expect(recorder.signals == [.subscription("TryCompactMap"), .value(2), .failure("two")])
        #expect(probe.orders == [[.request(.max(3)), .cancel]])
    }

    @Test func compactMapIsSilentAfterCancellation() {
        let probe = Probe<String, Oops>()
        let recorder = Recorder<Int, any Error>()
        probe.tryCompactMap { Int($0) }.subscribe(recorder)
        recorder.cancel()
        probe.send("1")
        probe.send(completion: .failure(.one))
        #expect(recorder.signals == [.subscription("TryCompactMap")])
    }
}
