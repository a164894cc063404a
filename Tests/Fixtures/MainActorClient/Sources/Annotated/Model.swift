import Streams

/// The state that an application shows: it belongs to the main actor, and streams write to it from elsewhere.
@MainActor
final class Model: ObservableObject {
    @Published var latest = 0
    var total = 0
    var last = 0
    var isLoading = false
    var progress = 0
    private var subscriptions: Set<AnyCancellable> = []

    /// Follows a publisher in every way that the library has for the main actor's state; returns when all have ended.
    func follow(_ source: AnyPublisher<Int, Never>) async {
        source.receiveOnMainActor().assign(to: &$latest)
        source.receiveOnMainActor().assign(to: \.last, on: self).store(in: &subscriptions)
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            source.sinkOnMainActor { [weak self] _ in
                self?.subscriptions.removeAll()
                over.resume()
            } receiveValue: { [weak self] value in
                self?.total += value
            }
            .store(in: &subscriptions)
        }
    }

    /// Sets state in a `handleEvents`, whose closures are not isolated to the main actor.
    func handleEvents(of source: AnyPublisher<Int, Never>) async {
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            isLoading = true
            source.receiveOnMainActor()
                .handleEvents(
                    receiveOutput: { value in MainActor.assumeIsolated { self.progress += value } },
                    receiveCompletion: { _ in MainActor.assumeIsolated { self.isLoading = false } }
                )
                .sink { _ in
                    over.resume()
                } receiveValue: { _ in
                }
                .store(in: &subscriptions)
        }
    }

    /// Hops to the main actor by hand, from a closure that is called elsewhere.
    func hop(from source: AnyPublisher<Int, Never>) async {
        await withCheckedContinuation { (over: CheckedContinuation<Void, Never>) in
            source.sink { _ in
                Task { @MainActor in over.resume() }
            } receiveValue: { value in
                Task { @MainActor in self.total += value }
            }
            .store(in: &subscriptions)
        }
    }
}

extension Trial {
    func modelling() async {
        let model = Model()
        let changes = Tally()
        let observation = model.objectWillChange.sink { changes.markAnywhere() }
        await model.follow(steady)
        expect("sinkOnMainActor", calls: 0, values: 6, counted: 0, model.total)
        expect("assign(to:on:)", calls: 0, values: 3, counted: 0, model.last)
        expect("assign(to:)", calls: 3, values: 3, counted: changes.count, model.latest)
        await model.handleEvents(of: steady)
        expect("handleEvents", calls: 0, values: 6, counted: model.isLoading ? 1 : 0, model.progress)
        await model.hop(from: steady)
        expect("sink with hops", calls: 0, values: 12, counted: 0, model.total)
        observation.cancel()
    }
}
