import StreamsHTTP

/// A transport that injects faults into the exchanges of another transport, reproducibly.
///
/// ```swift
/// let unreliable = FaultInjectingTransport(
///     wrapping: CurlTransport(), seed: 7,
///     InjectedFault(.failure(.connection(.refused)), .probability(0.1)),
///     InjectedFault(.cut(after: 1000), .every(5)))
/// ```
///
/// If several faults apply to an exchange, the first of them takes effect. Random numbers are drawn in the order in
/// which exchanges start, so the same requests in the same order meet the same faults.
public final class FaultInjectingTransport: HTTPTransport {
    private struct State {
        var random: SplitMix64
        /// For each fault, the number of exchanges so far that its filter has selected.
        var counts: [Int]
    }

    private let base: any HTTPTransport
    private let faults: [InjectedFault]
    private let scheduler: ExchangeScheduler
    private let state: Locked<State>

    /// Creates a transport whose delays are in real time.
    ///
    /// - Parameters:
    ///   - base: The transport that carries the exchanges.
    ///   - seed: The seed of the random numbers.
    ///   - faults: The faults to inject.
    public convenience init(wrapping base: any HTTPTransport, seed: UInt64 = 0, _ faults: InjectedFault...) {
        self.init(base, seed, faults, .realTime)
    }

    /// Creates a transport whose delays are a scheduler's.
    ///
    /// - Parameters:
    ///   - base: The transport that carries the exchanges.
    ///   - seed: The seed of the random numbers.
    ///   - scheduler: The scheduler of delays and of injected events.
    ///   - faults: The faults to inject.
    public convenience init(
        wrapping base: any HTTPTransport, seed: UInt64 = 0, scheduler: some Scheduler & Sendable,
        _ faults: InjectedFault...
    ) {
        self.init(base, seed, faults, ExchangeScheduler(scheduler))
    }

    private init(
        _ base: any HTTPTransport, _ seed: UInt64, _ faults: [InjectedFault], _ scheduler: ExchangeScheduler
    ) {
        self.base = base
        self.faults = faults
        self.scheduler = scheduler
        state = Locked(State(random: SplitMix64(seed: seed), counts: Array(repeating: 0, count: faults.count)))
    }

    public var connections: [OriginConnections] { base.connections }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        switch effect(on: request) {
        case nil:
            return base.start(request, delivering: receiver)
        case .failure(let reason):
            return ScriptedExchange.start([.failure(reason)], of: request, to: receiver, on: scheduler)
        case .response(let status, let headers):
            let steps = MockResponse(status, headers: headers).steps(for: request)
            return ScriptedExchange.start(steps, of: request, to: receiver, on: scheduler)
        case .delay(let delay):
            let exchange = DelayedExchange()
            let receiver = UnawaitedReceiver(base: receiver)
            exchange.start(after: delay, on: scheduler) { [base] in base.start(request, delivering: receiver) }
            return exchange
        case .cut(let count, let reason):
            let exchange = TruncatedExchange(after: count, reason, receiver: receiver)
            exchange.attach(base.start(request, delivering: exchange))
            return exchange
        }
    }

    private func effect(on request: TransportRequest) -> InjectedFault.Effect? {
        // The filters may be user code, so they run outside of the lock.
        let isSelected = faults.map { $0.isSelected(request) }
        return state.withLock { state in
            var effect: InjectedFault.Effect?
            // Every fault draws a number, also behind the first that applies: faults must not influence each other.
            for (index, fault) in faults.enumerated() where isSelected[index] {
                state.counts[index] += 1
                guard fault.condition.isMet(state.counts[index], &state.random), effect == nil else { continue }
                effect = fault.effect
            }
            return effect
        }
    }
}

/// A receiver whose exchange does not run on the thread that waits for it.
private struct UnawaitedReceiver: TransportReceiver {
    let base: any TransportReceiver

    func receive(_ event: TransportEvent) {
        base.receive(event)
    }
}

extension InjectedFault.Condition {
    fileprivate func isMet(_ number: Int, _ random: inout SplitMix64) -> Bool {
        switch self {
        case .always: true
        case .numbers(let numbers): numbers.contains(number)
        case .every(let interval): interval > 0 && number % interval == 0
        case .probability(let probability): Double.random(in: 0..<1, using: &random) < probability
        }
    }
}
