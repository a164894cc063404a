import Dispatch
import Streams

extension Trial {
    func failing() async {
        let source = source
        let failing = failing
        await expect("mapError", calls: 1, values: 0) { tally in
            failing.mapError { tally.mark($0) }
        }
        await expect("catch", calls: 1, values: 3) { tally in
            failing.catch { _ in tally.mark(source) }
        }
        await expect("tryCatch", calls: 1, values: 3) { tally in
            failing.tryCatch { _ in tally.mark(source) }
        }
        await expect("retry(_:backoff:scheduler:where:)", calls: 2, values: 0) { tally in
            failing.retry(2, backoff: .constant(.zero), scheduler: DispatchQueue.global()) { _ in tally.mark(true) }
        }
        await expect("timeout", calls: 1, values: 0) { tally in
            silence.timeout(.milliseconds(1), scheduler: DispatchQueue.global()) { tally.mark(Failure()) }
        }
        await expect("timeout(first:)", calls: 1, values: 0) { tally in
            silence.timeout(first: .milliseconds(1), scheduler: DispatchQueue.global()) { tally.mark(Failure()) }
        }
        await expect("timeout(total:)", calls: 1, values: 0) { tally in
            silence.timeout(total: .milliseconds(1), scheduler: DispatchQueue.global()) { tally.mark(Failure()) }
        }
        await expect("buffer", calls: 1, values: 1) { tally in
            burst.buffer(size: 1, prefetch: .byRequest, whenFull: .customError { tally.mark(Failure()) })
                .flatMap(maxPublishers: .max(1)) {
                    Just($0).delay(for: .milliseconds(1), scheduler: DispatchQueue.global())
                }
        }
        await expect("onBackpressureError", calls: 1, values: 0) { tally in
            burst.onBackpressureError { tally.mark(Failure()) }
                .flatMap(maxPublishers: .max(1)) {
                    Just($0).delay(for: .milliseconds(1), scheduler: DispatchQueue.global())
                }
        }
    }

    private var silence: Empty<Int, Failure> {
        Empty(completeImmediately: false)
    }

    /// Values that wait for no demand.
    private var burst: AnyPublisher<Int, Failure> {
        .create { subscriber in
            for value in 1...3 { subscriber.send(value) }
            return AnyCancellable {}
        }
    }
}
