import Streams

extension Trial {
    func combining() async {
        let one = Just(1).setFailureType(to: Failure.self)
        await expect("combineLatest", calls: 3, values: 3) { tally in
            one.combineLatest(source) { tally.mark($0 + $1) }
        }
        await expect("combineLatest of three", calls: 3, values: 3) { tally in
            one.combineLatest(one, source) { tally.mark($0 + $1 + $2) }
        }
        await expect("combineLatest of four", calls: 3, values: 3) { tally in
            one.combineLatest(one, one, source) { tally.mark($0 + $1 + $2 + $3) }
        }
        await expect("zip", calls: 3, values: 3) { tally in
            source.zip(source) { tally.mark($0 + $1) }
        }
        await expect("zip of three", calls: 3, values: 3) { tally in
            source.zip(source, source) { tally.mark($0 + $1 + $2) }
        }
        await expect("zip of four", calls: 3, values: 3) { tally in
            source.zip(source, source, source) { tally.mark($0 + $1 + $2 + $3) }
        }
        await expect("withLatestFrom", calls: 3, values: 3) { tally in
            source.withLatestFrom(one) { tally.mark($0 + $1) }
        }
        await expect("multicast", calls: 1, values: 3) { tally in
            source.multicast { tally.mark(PassthroughSubject<Int, Failure>()) }.autoconnect()
        }
    }
}
