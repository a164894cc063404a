import Streams
import StreamsTesting
import Testing

@Suite("Collections of publishers")
struct CollectionCombiningTests {
    @Test("Values are in the order of the publishers")
    func combinesArrays() {
        let probes = (0..<3).map { _ in ProbePublisher<Int, TestError>(retention: .always) }
        let zipped = RecordingSubscriber<[Int], TestError>()
        probes.zipMany().subscribe(zipped)
        let latest = RecordingSubscriber<[Int], TestError>()
        probes.combineLatest().subscribe(latest)
        for subscription in 0...1 {
            for (index, probe) in probes.enumerated().reversed() { probe.send(index, to: subscription) }
            probes[1].send(7, to: subscription)
        }
        #expect(zipped.values == [[0, 1, 2]])
        #expect(latest.values == [[0, 1, 2], [0, 7, 2]])
    }

    @Test("Without publishers the stream finishes at once")
    func finishesWithoutPublishers() {
        let none: [Just<Int>] = []
        let zipped = RecordingSubscriber<[Int], Never>()
        none.zipMany().subscribe(zipped)
        #expect(zipped.events == [.subscription("Zip"), .finished])
        let latest = RecordingSubscriber<[Int], Never>()
        none.combineLatest().subscribe(latest)
        #expect(latest.events == [.subscription("CombineLatest"), .finished])
        let merged = RecordingSubscriber<Int, Never>()
        none.merge().subscribe(merged)
        #expect(merged.events == [.subscription("Merge"), .finished])
    }

    @Test("Inner publishers follow each other, or the latest alone is mirrored")
    func flattensInnerPublishers() {
        let concatenated = RecordingSubscriber<Int, Never>()
        [1, 2].publisher.concatMap { [$0, $0 * 10].publisher }.subscribe(concatenated)
        #expect(concatenated.values == [1, 10, 2, 20])
        let source = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        let latest = RecordingSubscriber<Int, Never>()
        source.flatMapLatest { $0 }.subscribe(latest)
        source.send(first)
        first.send(1)
        source.send(second)
        first.send(2)
        second.send(3)
        #expect(latest.values == [1, 3])
    }
}
