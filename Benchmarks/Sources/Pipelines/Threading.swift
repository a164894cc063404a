import Dispatch
import Measuring

#if OPENCOMBINE
import OpenCombine
import OpenCombineDispatch
#else
import Streams
#endif

let threadingPipelines = [
    Pipeline("sequence.receive(on: queue)", count: 50_000, isSynchronous: false) { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        let subscription = (0..<count).publisher
            .receive(on: scheduler(queue))
            .sink(receiveCompletion: { _ in isDone.signal() }, receiveValue: { sum.add($0) })
        isDone.wait()
        subscription.cancel()
    },
    Pipeline("receive(on: queue), one value at a time", count: 5_000, isSynchronous: false) { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.receive(on: scheduler(queue)).sink {
            sum.add($0)
            isDone.signal()
        }
        for value in 0..<count {
            subject.send(value)
            isDone.wait()
        }
        subscription.cancel()
    },
    Pipeline("subscribe(on: queue), 100 at once", .subscription, count: 5_000, isSynchronous: false) { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        for first in stride(from: 0, to: count, by: 100) {
            let last = min(first + 100, count) - 1
            let subscriptions = (first...last).map { value in
                // The queue is serial, so the last value completes last.
                subscribe(value, on: queue, sum) { if value == last { isDone.signal() } }
            }
            isDone.wait()
            for subscription in subscriptions { subscription.cancel() }
        }
    },
    Pipeline("subscribe(on: queue), one at a time", .subscription, count: 5_000, isSynchronous: false) { count, sum in
        let queue = DispatchQueue(label: "benchmark")
        let isDone = DispatchSemaphore(value: 0)
        for value in 0..<count {
            let subscription = subscribe(value, on: queue, sum) { isDone.signal() }
            isDone.wait()
            subscription.cancel()
        }
    },
    Pipeline("for await in sequence.values", count: 20_000, isSynchronous: false) { count, sum in
        waiting {
            for await value in (0..<count).publisher.map({ $0 &* 3 }).values { sum.add(value) }
        }
    },
    Pipeline("for await in subject.buffer.values", count: 20_000, isSynchronous: false) { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.buffer(size: .max, prefetch: .keepFull, whenFull: .dropOldest).values
        waiting {
            var iterator = values.makeAsyncIterator()
            // The subscription exists from here on.
            for value in 0..<count { subject.send(value) }
            subject.send(completion: .finished)
            while let value = await iterator.next() { sum.add(value) }
        }
    },
]

private func subscribe(
    _ value: Int, on queue: DispatchQueue, _ sum: Checksum, onEnd: @escaping @Sendable () -> Void
) -> AnyCancellable {
    Just(value)
        .subscribe(on: scheduler(queue))
        .sink(receiveCompletion: { _ in onEnd() }, receiveValue: { sum.add($0) })
}

#if OPENCOMBINE
private func scheduler(_ queue: DispatchQueue) -> DispatchQueue.OCombine { queue.ocombine }
#else
private func scheduler(_ queue: DispatchQueue) -> DispatchQueue { queue }
#endif
