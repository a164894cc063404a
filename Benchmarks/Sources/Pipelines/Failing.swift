import Measuring

#if OPENCOMBINE
import OpenCombine
#else
import Streams
#endif

private struct Fault: Error {}

let failingPipelines = [
    Pipeline("sequence.tryMap.mapError.replaceError.sink") { count, sum in
        (0..<count).publisher
            .tryMap { value -> Int in
                if value < 0 { throw Fault() }
                return value &* 3
            }
            .mapError { _ in Fault() }
            .replaceError(with: 0)
            .sink { sum.add($0) }
            .cancel()
    },
    Pipeline("retry, every fourth attempt succeeds", .attempt, count: 40_000) { count, sum in
        for value in 0..<count / 4 {
            let attempts = Attempts()
            Deferred { attempts.next(value) }
                .retry(3)
                .sink(receiveCompletion: { _ in }, receiveValue: { sum.add($0) })
                .cancel()
        }
    },
    Pipeline("fail.catch", .subscription, count: 20_000) { count, sum in
        for value in 0..<count {
            Fail<Int, Fault>(error: Fault())
                .catch { _ in Just(value) }
                .sink { sum.add($0) }
                .cancel()
        }
    },
]

/// Work that fails three times.
// Safe because one thread uses it.
private final class Attempts: @unchecked Sendable {
    private var made = 0

    func next(_ value: Int) -> Result<Int, Fault>.Publisher {
        made += 1
        return (made == 4 ? .success(value) : Result<Int, Fault>.failure(Fault())).publisher
    }
}
