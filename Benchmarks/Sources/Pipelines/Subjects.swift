import Dispatch
import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

let subjectPipelines = [
    Pipeline("passthrough.sink") { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    Pipeline("passthrough.map.filter.sink") { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    Pipeline("current.map.filter.sink") { count, sum in
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscription = subject.map { $0 &* 3 }.filter { $0 & 1 == 0 }.sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    Pipeline("current, value read and set") { count, sum in
        let subject = CurrentValueSubject<Int, Never>(0)
        let subscription = subject.sink { sum.add($0) }
        for _ in 0..<count { subject.value = subject.value &+ 3 }
        subscription.cancel()
    },
    Pipeline("passthrough.eraseToAnyPublisher.sink") { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.map { $0 &* 3 }.eraseToAnyPublisher().sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    fanOut(to: 16),
    fanOut(to: 1000),
    Pipeline("contended sends from 2 threads", count: 100_000, isSynchronous: false) { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.map { $0 &* 3 }.sink { sum.addInAnyOrder($0) }
        let shared = Shared(value: subject)
        DispatchQueue.concurrentPerform(iterations: 2) { thread in
            for value in 0..<count / 2 { shared.value.send(value &+ thread) }
        }
        subscription.cancel()
    },
]

// Safe because any thread may send to a subject, although not every library declares that.
private struct Shared<Value>: @unchecked Sendable {
    let value: Value
}

private func fanOut(to subscribers: Int) -> Pipeline {
    Pipeline("passthrough.map.sink, to \(subscribers)", .delivery) { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        var subscriptions: [AnyCancellable] = []
        for _ in 0..<subscribers { subscriptions.append(subject.map { $0 &* 3 }.sink { sum.add($0) }) }
        for value in 0..<count / subscribers { subject.send(value) }
        for subscription in subscriptions { subscription.cancel() }
    }
}
