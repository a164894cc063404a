import Measuring
import Streams

/// What is worth guarding of the operators and has no counterpart to be compared with.
let operatorPaths = [
    Pipeline("passthrough.share, to 16", .delivery) { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let shared = subject.map { $0 &* 3 }.share()
        let subscriptions = (0..<16).map { _ in shared.sink { sum.add($0) } }
        for value in 0..<count / 16 { subject.send(value) }
        for subscription in subscriptions { subscription.cancel() }
    },
    Pipeline("passthrough.receive(on: immediate scheduler)") { count, sum in
        let subject = PassthroughSubject<Int, Never>()
        let subscription = subject.receive(on: ImmediateScheduler.shared).sink { sum.add($0) }
        for value in 0..<count { subject.send(value) }
        subscription.cancel()
    },
    Pipeline("for await in sequence.values") { count, sum in
        CallerExecutor.run {
            for await value in (0..<count).publisher.map({ $0 &* 3 }).values { sum.add(value) }
        }
    },
]
