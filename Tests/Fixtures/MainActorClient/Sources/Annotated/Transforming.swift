import Streams

extension Trial {
    func transforming() async {
        await expect("map", calls: 3, values: 3) { tally in
            source.map { tally.mark($0 * 2) }
        }
        await expect("map of a type of the module", calls: 3, values: 3) { tally in
            source.map { Reading(value: $0) }.map { tally.mark($0.value) }
        }
        await expect("map by key path", calls: 0, values: 3) { _ in
            source.map { Reading(value: $0) }.map(\.value)
        }
        await expect("map.map", calls: 6, values: 3) { tally in
            source.map { tally.mark($0 * 2) }.map { tally.mark($0 * 2) }
        }
        await expect("map.tryMap.map", calls: 9, values: 3) { tally in
            source.map { tally.mark($0 * 2) }.tryMap { tally.mark($0 * 2) }.map { tally.mark("\($0)") }
        }
        await expect("tryMap", calls: 2, values: 1) { tally in
            source.tryMap { value in
                tally.mark(value)
                guard value < 2 else { throw Failure() }
                return value
            }
        }
        await expect("tryMap(throwing:)", calls: 3, values: 3) { tally in
            source.tryMap(throwing: Failure.self) { tally.mark($0) }
        }
        await expect("scan", calls: 3, values: 3) { tally in
            source.scan(0) { tally.mark($0 + $1) }
        }
        await expect("tryScan", calls: 3, values: 3) { tally in
            source.tryScan(0) { tally.mark($0 + $1) }
        }
    }

    func flattening() async {
        let source = source
        await expect("flatMap", calls: 3, values: 9) { tally in
            source.flatMap { _ in tally.mark(source) }
        }
        await expect("flatMap(maxPublishers:)", calls: 3, values: 9) { tally in
            source.flatMap(maxPublishers: .max(1)) { _ in tally.mark(source) }
        }
        await expect("flatMap to what cannot fail", calls: 3, values: 3) { tally in
            source.flatMap { Just(tally.mark($0)) }
        }
        await expect("flatMap of what cannot fail", calls: 1, values: 3) { tally in
            Just(0).flatMap { _ in tally.mark(source) }
        }
        await expect("flatMap of and to what cannot fail", calls: 1, values: 1) { tally in
            Just(0).flatMap { Just(tally.mark($0)) }
        }
        await expect("concatMap", calls: 3, values: 9) { tally in
            source.concatMap { _ in tally.mark(source) }
        }
        await expect("flatMapLatest", calls: 3, values: 3) { tally in
            source.flatMapLatest { value in
                tally.mark(value)
                return Just(value).setFailureType(to: Failure.self)
            }
        }
        await expect("expand", calls: 6, values: 6) { tally in
            source.expand { value in
                tally.mark(value)
                return value < 4
                    ? Just(value + 3).setFailureType(to: Failure.self).eraseToAnyPublisher()
                    : Empty().eraseToAnyPublisher()
            }
        }
    }
}
