import Dispatch
import Streams

extension Trial {
    func subscribing() async {
        let sink = Tally()
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            source.subscribe(
                Subscribers.Sink {
                    sink.mark($0)
                    over.resume()
                } receiveValue: {
                    sink.mark($0)
                }
            )
        }
        expect("Subscribers.Sink", calls: 4, values: 0, counted: sink.count, 0)

        let erased = Tally()
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            source.subscribe(
                AnySubscriber { subscription in
                    subscription.request(.unlimited)
                } receiveValue: { value in
                    erased.mark(.none)
                } receiveCompletion: { _ in
                    erased.mark(())
                    over.resume()
                }
            )
        }
        expect("AnySubscriber", calls: 4, values: 0, counted: erased.count, 0)

        let quiet = Tally()
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            steady.handleEvents(receiveCompletion: { _ in over.resume() })
                .sink { quiet.mark($0) }
                .store(in: &subscriptions)
        }
        expect("sink(receiveValue:)", calls: 3, values: 0, counted: quiet.count, 0)
    }
}
