/// What an `asyncMap` has under way: it brings results into the order of their values.
///
/// It is the subscription between the upstream and the outlet: demand comes from there, and is handed on as far as
/// there are places free.
// Safe because places are behind a lock, and results belong to the owner of the serialiser.
final class AsyncMapLink<Output: Sendable, Failure: Error>: RateLink, @unchecked Sendable {
    enum Event {
        case result(Result<Output, Failure>, Int)
        case end(Subscribers.Completion<Failure>)
        case cancellation
    }

    private struct Places: Sendable {
        var next = 0
        var running: [Int: TaskSlot] = [:]
        var isClosed = false
    }

    let outlet: AnyOutlet<Output, Failure>
    private let places = Locked(Places())
    private let serialiser = Serialiser<Event>()

    // These belong to the owner of the serialiser.
    @exclusivity(unchecked) private var early: [Int: Result<Output, Failure>] = [:]
    @exclusivity(unchecked) private var turn = 0
    @exclusivity(unchecked) private var ending: Subscribers.Completion<Failure>?

    init(limit: Int, outlet: AnyOutlet<Output, Failure>) {
        self.outlet = outlet
        super.init(.asyncMap, limit: limit, refillsBelow: limit)
    }

    /// Makes a place in the order of results.
    ///
    /// - Returns: Nil if the stream is over.
    func makePlace() -> (Int, TaskSlot)? {
        let slot = TaskSlot()
        return places.withLock { places in
            guard !places.isClosed else { return nil }
            defer { places.next += 1 }
            places.running[places.next] = slot
            return (places.next, slot)
        }
    }

    func submit(_ event: Event) {
        serialiser.submit(event) { handle($0) }
    }

    override func cancel() {
        super.cancel()
        let running = places.withLock { places in
            places.isClosed = true
            return exchange(&places.running, with: [:])
        }
        for slot in running.values { slot.cancel() }
        // Results that wait for those before them are for nobody.
        submit(.cancellation)
    }

    private func handle(_ event: Event) {
        switch event {
        case .result(let result, let place):
            places.withLock { $0.running[place] = nil }
            if outlet.isOver { return }
            early[place] = result
        case .end(let completion):
            if outlet.isOver { return }
            ending = completion
        case .cancellation:
            early = [:]
            ending = nil
        }
        while let result = early.removeValue(forKey: turn) {
            turn += 1
            switch result {
            case .success(let value):
                outlet.send(value)
                refill()
            case .failure(let error):
                early = [:]
                return outlet.finish(.failure(error))
            }
        }
        if let ending, turn == places.withLock({ $0.next }) { outlet.finish(ending) }
    }
}
