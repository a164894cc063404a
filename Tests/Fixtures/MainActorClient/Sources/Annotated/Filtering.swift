import Streams

extension Trial {
    func filtering() async {
        await expect("filter", calls: 3, values: 2) { tally in
            source.filter { tally.mark($0) > 1 }
        }
        await expect("filter.filter", calls: 5, values: 1) { tally in
            source.filter { tally.mark($0) > 1 }.filter { tally.mark($0) > 2 }
        }
        await expect("filter.tryFilter", calls: 5, values: 1) { tally in
            source.filter { tally.mark($0) > 1 }.tryFilter { tally.mark($0) > 2 }
        }
        await expect("tryFilter", calls: 3, values: 2) { tally in
            source.tryFilter { tally.mark($0) > 1 }
        }
        await expect("tryFilter(throwing:)", calls: 3, values: 2) { tally in
            source.tryFilter(throwing: Failure.self) { tally.mark($0) > 1 }
        }
        await expect("compactMap", calls: 3, values: 2) { tally in
            source.compactMap { tally.mark($0) > 1 ? "\($0)" : nil }
        }
        await expect("compactMap.map", calls: 5, values: 2) { tally in
            source.compactMap { tally.mark($0) > 1 ? $0 : nil }.map { tally.mark($0) }
        }
        await expect("tryCompactMap", calls: 3, values: 2) { tally in
            source.tryCompactMap { tally.mark($0) > 1 ? "\($0)" : nil }
        }
        await expect("tryCompactMap(throwing:)", calls: 3, values: 2) { tally in
            source.tryCompactMap(throwing: Failure.self) { tally.mark($0) > 1 ? "\($0)" : nil }
        }
        await expect("removeDuplicates(by:)", calls: 2, values: 1) { tally in
            source.removeDuplicates { tally.mark($0 < $1) }
        }
        await expect("distinct(by:)", calls: 3, values: 2) { tally in
            source.distinct(by: { tally.mark($0 % 2) }, maxKeys: 8)
        }
        await expect("tryRemoveDuplicates(by:)", calls: 2, values: 1) { tally in
            source.tryRemoveDuplicates { tally.mark($0 < $1) }
        }
    }

    func cutting() async {
        await expect("drop(while:)", calls: 2, values: 2) { tally in
            source.drop { tally.mark($0) < 2 }
        }
        await expect("tryDrop(while:)", calls: 2, values: 2) { tally in
            source.tryDrop { tally.mark($0) < 2 }
        }
        await expect("prefix(while:)", calls: 2, values: 1) { tally in
            source.prefix { tally.mark($0) < 2 }
        }
        await expect("tryPrefix(while:)", calls: 2, values: 1) { tally in
            source.tryPrefix { tally.mark($0) < 2 }
        }
        await expect("first(where:)", calls: 2, values: 1) { tally in
            source.first { tally.mark($0) == 2 }
        }
        await expect("tryFirst(where:)", calls: 2, values: 1) { tally in
            source.tryFirst { tally.mark($0) == 2 }
        }
        await expect("last(where:)", calls: 3, values: 1) { tally in
            source.last { tally.mark($0) < 3 }
        }
        await expect("tryLast(where:)", calls: 3, values: 1) { tally in
            source.tryLast { tally.mark($0) < 3 }
        }
    }
}
