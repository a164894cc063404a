import Streams

extension Trial {
    func producing() async {
        let source = source
        await expect("Deferred", calls: 1, values: 3) { tally in
            Deferred { tally.mark(source) }
        }
        await expect("Deferred(async:)", calls: 1, values: 1) { tally in
            Deferred(async: { tally.mark(7) })
        }
        await expect("Operators.Async", calls: 1, values: 1) { tally in
            Operators.Async { tally.mark(7) }
        }
        await expect("Deferred.Future", calls: 1, values: 1) { tally in
            Deferred { Future<Int, Failure> { promise in promise(.success(tally.mark(7))) } }
        }
        await expect("AnyPublisher.create", calls: 2, values: 1) { tally in
            AnyPublisher<Int, Failure>.create { subscriber in
                subscriber.send(tally.mark(1))
                subscriber.send(completion: .finished)
                return AnyCancellable { tally.mark(()) }
            }
        }
        await expect("Operators.Using", calls: 3, values: 3) { tally in
            Operators.Using {
                tally.mark(Reading(value: 7))
            } release: { _ in
                tally.mark(())
            } publisher: { _ in
                tally.mark(source)
            }
        }
        await expect("Operators.Using(throwing:)", calls: 3, values: 3) { tally in
            Operators.Using(throwing: Failure.self) { () throws(Failure) -> Reading in
                guard tally.count == 0 else { throw Failure() }
                return tally.mark(Reading(value: 7))
            } release: { _ in
                tally.mark(())
            } publisher: { _ in
                tally.mark(source)
            }
        }
    }

    func awaiting() async {
        await expect("asyncMap", calls: 3, values: 3) { tally in
            source.asyncMap { tally.mark($0) }
        }
        await expect("asyncTryMap", calls: 3, values: 3) { tally in
            source.asyncTryMap { tally.mark($0) }
        }
        await expect("asyncFlatMap", calls: 3, values: 3) { tally in
            steady.asyncFlatMap { value in
                AsyncStream { continuation in
                    continuation.yield(tally.mark(value))
                    continuation.finish()
                }
            }
        }
        var sum = 0
        do {
            for try await value in source.values { sum += value }
        } catch {
            sum = -1
        }
        expect("values", calls: 0, values: 6, counted: 0, sum)
    }
}
