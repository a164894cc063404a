/// Lets some of another transport's exchanges go wrong, the same ones every time.
///
/// ```swift
/// let unreliable = FaultInjectingTransport(
///     wrapping: CurlTransport(), seed: 7,
///     InjectedFault(.failure(.connection(.refused)), .probability(0.1)),
///     InjectedFault(.cut(after: 1000), .every(5)))
/// ```
///
/// Of the faults whose condition is met, the first happens. Chance is drawn in the order in which exchanges start, so
/// that the same requests in the same order meet the same faults.
public final class FaultInjectingTransport: HTTPTransport {
    private struct State {
        var random: SplitMix
        /// How many exchanges each fault has seen that it can affect.
        var counts: [Int]
    }

    private let base: any HTTPTransport
    private let faults: [InjectedFault]
    private let clock: PlayClock
    private let state: Locked<State>

    /// A transport whose delays are real.
    ///
    /// - Parameters:
    ///   - base: What carries the exchanges.
    ///   - seed: Another one makes chance fall otherwise.
    ///   - faults: What goes wrong.
    public convenience init(wrapping base: any HTTPTransport, seed: UInt64 = 0, _ faults: InjectedFault...) {
        self.init(base, seed, faults, .system)
    }

    /// A transport whose delays are a scheduler's.
    public convenience init(
        wrapping base: any HTTPTransport, seed: UInt64 = 0, scheduler: some Scheduler & Sendable,
        _ faults: InjectedFault...
    ) {
        self.init(base, seed, faults, PlayClock(scheduler))
    }

    private init(_ base: any HTTPTransport, _ seed: UInt64, _ faults: [InjectedFault], _ clock: PlayClock) {
        self.base = base
        self.faults = faults
        self.clock = clock
        state = Locked(State(random: SplitMix(seed: seed), counts: Array(repeating: 0, count: faults.count)))
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        switch effect(on: request) {
        case nil:
            return base.start(request, delivering: receiver)
        case .failure(let reason):
            return PlayedExchange.start(
                [.event(.failed(TransportFailure(reason)))], of: request, to: receiver, clock: clock)
        case .response(let status, var headers):
            if !headers.contains("Content-Length") { headers.add("Content-Length", "0") }
            let head = HTTPResponse(status: status, headers: headers, body: (), url: request.url)
            return PlayedExchange.start(.response(head, chunks: []), of: request, to: receiver, clock: clock)
        case .delay(let delay):
            let exchange = DelayedExchange()
            let later = LateReceiver(base: receiver)
            exchange.start(after: delay, on: clock) { [base] in base.start(request, delivering: later) }
            return exchange
        case .cut(let limit, let reason):
            let exchange = CutExchange(after: limit, reason, receiver: receiver)
            exchange.attach(base.start(request, delivering: exchange))
            return exchange
        }
    }

    private func effect(on request: TransportRequest) -> InjectedFault.Effect? {
        // The conditions' closures may be the user's: not under the lock.
        let affected = faults.map { $0.isAffected(request) }
        return state.withLock { state in
            var effect: InjectedFault.Effect?
            // All are drawn, so that one fault's chance does not hang on another's.
            for (index, fault) in faults.enumerated() where affected[index] {
                state.counts[index] += 1
                guard fault.condition.isMet(state.counts[index], &state.random), effect == nil else { continue }
                effect = fault.effect
            }
            return effect
        }
    }
}

/// Leads events on of an exchange that another thread starts than the one that waits for it.
private struct LateReceiver: TransportReceiver {
    let base: any TransportReceiver

    func receive(_ event: TransportEvent) {
        base.receive(event)
    }
}

extension InjectedFault.Condition {
    fileprivate func isMet(_ number: Int, _ random: inout SplitMix) -> Bool {
        switch self {
        case .always: true
        case .numbers(let numbers): numbers.contains(number)
        case .every(let interval): interval > 0 && number % interval == 0
        case .probability(let probability): Double.random(in: 0..<1, using: &random) < probability
        }
    }
}
