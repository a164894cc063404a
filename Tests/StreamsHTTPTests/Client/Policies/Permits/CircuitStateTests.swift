import Testing

@testable import StreamsHTTP

@Suite struct CircuitStateTests {
    private func makeCircuit(probes: Int = 2) -> CircuitState {
        CircuitState(
            CircuitBreaker(
                failureRatio: 0.5, minimumCalls: 4, window: .seconds(10), openDuration: .seconds(30), probes: probes))
    }

    private func run(_ circuit: inout CircuitState, _ isFailure: Bool?, at now: Duration) {
        guard circuit.refusal(now: now) == nil else { return }
        let period = circuit.pass()
        circuit.end(period, isFailure: isFailure, now: now)
    }

    @Test func opensAtTheRatioOfEnoughCalls() {
        var circuit = makeCircuit()
        for isFailure in [true, true, true] { run(&circuit, isFailure, at: .seconds(1)) }
        #expect(circuit.state == .closed)
        run(&circuit, nil, at: .seconds(1))
        #expect(circuit.state == .closed)
        run(&circuit, false, at: .seconds(2))
        #expect(circuit.state == .open(until: .seconds(32)))
        #expect(circuit.refusal(now: .seconds(12)) == HTTPError.Connection.circuitOpen(retryAfter: .seconds(20)))
    }

    @Test func staysClosedBelowTheRatio() {
        var circuit = makeCircuit()
        for number in 0..<100 { run(&circuit, number % 3 == 2, at: .milliseconds(number * 10)) }
        #expect(circuit.state == .closed && circuit.counts(now: .seconds(1)) == (100, 33))
    }

    @Test func forgetsOutcomesOutsideOfTheWindow() {
        var circuit = makeCircuit()
        for _ in 0..<3 { run(&circuit, true, at: .seconds(1)) }
        #expect(circuit.counts(now: .seconds(10)) == (3, 3))
        #expect(circuit.counts(now: .seconds(11)) == (0, 0))
        for _ in 0..<3 { run(&circuit, true, at: .seconds(12)) }
        #expect(circuit.state == .closed)
        run(&circuit, true, at: .seconds(13))
        #expect(circuit.state == .open(until: .seconds(43)))
    }

    @Test func closesAfterSuccessfulProbes() {
        var circuit = makeCircuit()
        for _ in 0..<4 { run(&circuit, true, at: .zero) }
        #expect(circuit.refusal(now: .seconds(30)) == nil)
        let (first, second) = (circuit.pass(), circuit.pass())
        #expect(circuit.refusal(now: .seconds(30)) == HTTPError.Connection.circuitOpen(retryAfter: nil))
        circuit.end(first, isFailure: false, now: .seconds(31))
        #expect(circuit.state == .halfOpen(running: 1, succeeded: 1))
        #expect(circuit.refusal(now: .seconds(31)) != nil)
        circuit.end(second, isFailure: false, now: .seconds(31))
        #expect(circuit.state == .closed && circuit.refusal(now: .seconds(31)) == nil)
    }

    @Test func opensAgainAfterAFailedProbe() {
        var circuit = makeCircuit()
        for _ in 0..<4 { run(&circuit, true, at: .zero) }
        run(&circuit, false, at: .seconds(30))
        run(&circuit, true, at: .seconds(35))
        #expect(circuit.state == .open(until: .seconds(65)))
    }

    @Test func anotherProbeReplacesACancelledOne() {
        var circuit = makeCircuit(probes: 1)
        for _ in 0..<4 { run(&circuit, true, at: .zero) }
        for _ in 0..<5 { run(&circuit, nil, at: .seconds(30)) }
        #expect(circuit.state == .halfOpen(running: 0, succeeded: 0))
        run(&circuit, false, at: .seconds(30))
        #expect(circuit.state == .closed)
    }

    @Test func ignoresOutcomesOfEarlierPeriods() {
        var circuit = makeCircuit(probes: 1)
        let late = circuit.pass()
        for _ in 0..<4 { run(&circuit, true, at: .zero) }
        circuit.end(late, isFailure: false, now: .seconds(1))
        #expect(circuit.state == .open(until: .seconds(30)))
        #expect(circuit.refusal(now: .seconds(30)) == nil)
        let probe = circuit.pass()
        circuit.end(late, isFailure: true, now: .seconds(31))
        #expect(circuit.state == .halfOpen(running: 1, succeeded: 0))
        circuit.end(probe, isFailure: false, now: .seconds(31))
        #expect(circuit.state == .closed)
    }

    @Test func acceptsAnyNumbers() {
        for ratio in [-1, 0, 1, 2, Double.nan, .infinity] {
            for duration in [Duration.seconds(Int64.min), .zero, .seconds(Int64.max)] {
                var circuit = CircuitState(
                    CircuitBreaker(
                        failureRatio: ratio, minimumCalls: .min, window: duration, openDuration: duration, probes: .min)
                )
                for number in 0..<50 { run(&circuit, number % 2 == 0, at: .seconds(number)) }
                #expect(circuit.counts(now: .seconds(Int64.max / 4_000_000_000)).failures >= 0)
            }
        }
    }

    @Test func countsFailuresOfTheServerOnly() {
        let failures: [CircuitBreaker.Outcome] = [
            .response(.internalServerError), .response(.serviceUnavailable), .failure(.connection(.refused)),
            .failure(.timeout(.idle)), .failure(.timeout(.total)), .failure(.transfer(.emptyReply)),
        ]
        for outcome in failures { #expect(CircuitBreaker.isServerFailure(outcome)) }
        let others: [CircuitBreaker.Outcome] = [
            .response(.ok), .response(.notFound), .response(.tooManyRequests), .failure(.cancelled),
            .failure(.connection(.addressNotAllowed)), .failure(.transfer(.bodyTooLarge)),
            .failure(.transfer(.reusedConnectionLost)),
            .failure(.thrown(UnexpectedSuccess(), by: .body)),
        ]
        for outcome in others { #expect(!CircuitBreaker.isServerFailure(outcome)) }
    }
}
