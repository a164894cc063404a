import Streams
import StreamsTesting
import XCTest

/// Tests that use the module with XCTest: results and thrown errors work in every test framework.
final class XCTestUsageTests: XCTestCase {
    private enum TestError: Error { case expected }

    func testVirtualTimeAndRecordingSubscriber() {
        let scheduler = TestScheduler()
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = RecordingSubscriber<Int, TestError>()
        subject.delay(for: .seconds(2), scheduler: scheduler).subscribe(recorder)

        subject.send(1)
        scheduler.advance(by: .seconds(1))
        XCTAssertEqual(recorder.values, [])
        subject.send(completion: .failure(.expected))
        scheduler.advance(by: .seconds(2))

        XCTAssertEqual(recorder.values, [1])
        XCTAssertEqual(recorder.completion, .failure(.expected))
        XCTAssertEqual(recorder.violations, [])
    }

    func testMarblesMismatch() throws {
        let values: [Character: Int] = ["a": 1, "b": 2]
        let scheduler = TestScheduler()
        let numbers = try scheduler.cold("-a-b--|", values: values)

        try scheduler.expect(numbers.delay(for: 1, scheduler: scheduler), "--a-b--|", values: values)
        XCTAssertThrowsError(try scheduler.expect(numbers, "-a--b-|", values: values)) { error in
            XCTAssertTrue(error is MarblesMismatch, "\(error)")
        }
    }

    func testUnusedScheduler() {
        let used = expectation(description: "the scheduler is used")
        let scheduler = UnusedScheduler { _ in used.fulfill() }
        let cancellable = Just(1).delay(for: .seconds(1), scheduler: scheduler).sink { _ in }
        wait(for: [used], timeout: 0)
        cancellable.cancel()
    }

    func testLifetimeTracker() throws {
        let lifetimes = LifetimeTracker()
        let probe = ProbePublisher<Int, Never>()
        var cancellable: AnyCancellable?
        do {
            let token = lifetimes.token("closure")
            cancellable = probe.sink { _ in withExtendedLifetime(token) {} }
        }
        XCTAssertThrowsError(try lifetimes.expectReleased())
        cancellable?.cancel()
        try lifetimes.expectReleased()
    }

    func testWaitForQueue() async {
        let recorder = RecordingSubscriber<Int, Never>()
        [1, 2, 3].publisher.receive(on: DispatchQueue.global()).subscribe(recorder)
        let finished = await recorder.wait()
        XCTAssertTrue(finished)
        XCTAssertEqual(recorder.values, [1, 2, 3])
    }
}
