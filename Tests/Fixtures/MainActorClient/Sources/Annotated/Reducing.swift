import Streams

extension Trial {
    func reducing() async {
        await expect("reduce", calls: 3, values: 1) { tally in
            source.reduce(0) { tally.mark($0 + $1) }
        }
        await expect("tryReduce", calls: 3, values: 1) { tally in
            source.tryReduce(0) { tally.mark($0 + $1) }
        }
        await expect("max(by:)", calls: 2, values: 1) { tally in
            source.max { tally.mark($0 < $1) }
        }
        await expect("min(by:)", calls: 2, values: 1) { tally in
            source.min { tally.mark($0 < $1) }
        }
        await expect("tryMax(by:)", calls: 2, values: 1) { tally in
            source.tryMax { tally.mark($0 < $1) }
        }
        await expect("tryMin(by:)", calls: 2, values: 1) { tally in
            source.tryMin { tally.mark($0 < $1) }
        }
        await expect("allSatisfy", calls: 3, values: 1) { tally in
            source.allSatisfy { tally.mark($0) > 0 }
        }
        await expect("tryAllSatisfy", calls: 3, values: 1) { tally in
            source.tryAllSatisfy { tally.mark($0) > 0 }
        }
        await expect("contains(where:)", calls: 2, values: 1) { tally in
            source.contains { tally.mark($0) == 2 }
        }
        await expect("tryContains(where:)", calls: 2, values: 1) { tally in
            source.tryContains { tally.mark($0) == 2 }
        }
    }
}
