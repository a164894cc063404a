/// An executor that runs tasks synchronously, on the thread that starts or resumes them, so that the laws also apply
/// to asynchronous operators.
final class InlineExecutor: TaskExecutor {
    static let shared = InlineExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
    }
}

/// An asynchronous sequence of numbers that never suspends.
struct SynchronousNumbers: AsyncSequence, Sendable {
    let bound: Int
    var hook: @Sendable () -> Void = {}
    var failure: LawError?

    struct Iterator: AsyncIteratorProtocol {
        let numbers: SynchronousNumbers
        var next = 0

        mutating func next(isolation actor: isolated (any Actor)?) async throws(LawError) -> Int? {
            numbers.hook()
            guard next < numbers.bound else {
                if let failure = numbers.failure { throw failure }
                return nil
            }
            defer { next += 1 }
            return next
        }

        mutating func next() async throws(LawError) -> Int? {
            try await next(isolation: nil)
        }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(numbers: self)
    }
}
