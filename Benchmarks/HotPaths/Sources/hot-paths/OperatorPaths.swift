import Measuring
import Streams

/// The paths of operators that are worth guarding and have no counterpart to compare with.
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
    Pipeline("create.sink") { count, sum in
        created(count).sink { sum.add($0) }.cancel()
    },
    // A value at a time is requested by calls that are dynamic, through the subscription.
    awaited("sequence") { (0..<$0).publisher.map { $0 &* 3 } },
    awaited("create") { created($0) },
    awaited("subject.buffer") { count in
        let subject = ReplaySubject<Int, Never>(bufferSize: count)
        for value in 0..<count { subject.send(value) }
        subject.send(completion: .finished)
        return subject.buffer(size: count, prefetch: .keepFull, whenFull: .dropOldest)
    },
    awaited("sequence.merge") { (0..<$0 / 2).publisher.merge(with: (0..<$0 / 2).publisher) },
    awaited("sequence.flatMap") { (0..<$0 / 10).publisher.flatMap { _ in (0..<10).publisher } },
    awaited("sequence.zip") { (0..<$0).publisher.zip((0..<$0).publisher).map(\.0) },
    awaited("sequence.group(by:).flatMap") { (0..<$0).publisher.group { $0 & 3 }.flatMap { $0 } },
]

private func created(_ count: Int) -> AnyPublisher<Int, Never> {
    .create { emitter in
        for value in 0..<count { emitter.send(value) }
        emitter.send(completion: .finished)
        return AnyCancellable {}
    }
}

private func awaited<P: Publisher<Int, Never> & SendableMetatype>(
    _ name: String, _ publisher: @escaping @Sendable (Int) -> P
) -> Pipeline {
    Pipeline("for await in \(name).values") { count, sum in
        CallerExecutor.run {
            for await value in publisher(count).values { sum.add(value) }
        }
    }
}
