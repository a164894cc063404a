import Streams
import StreamsTesting

extension OperatorCase {
    /// The operators that pass on a part of the values, put them together or look at them, set up so that nothing is
    /// left out.
    static let selecting: [OperatorCase] = bySelf + bySignal + looking

    private static let bySelf: [OperatorCase] = [
        OperatorCase("dropFirst(_:)", .looksOn) { upstream, _ in upstream.dropFirst(0).eraseToAnyPublisher() },
        OperatorCase("drop(while:)") { upstream, bench in
            upstream.drop { _ in bench.passing(false) }.eraseToAnyPublisher()
        },
        OperatorCase("tryDrop(while:)") { upstream, bench in
            upstream.tryDrop { _ in bench.passing(false) }.restoringLawError()
        },
        OperatorCase("prefix(while:)", .strict) { upstream, bench in
            upstream.prefix { _ in bench.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("tryPrefix(while:)", .strict) { upstream, bench in
            upstream.tryPrefix { _ in bench.passing(true) }.restoringLawError()
        },
        OperatorCase("replaceEmpty(with:)", .endsOnDemand) { upstream, _ in
            upstream.replaceEmpty(with: -1).eraseToAnyPublisher()
        },
        OperatorCase("collect(_:)", .looksOn) { upstream, bench in
            upstream.collect(1).map { bench.passing($0[0]) }.eraseToAnyPublisher()
        },
    ]

    private static let bySignal: [OperatorCase] = [
        OperatorCase("drop(untilOutputFrom:)") { upstream, bench in
            let signal = Deferred { bench.passing(Just(()).setFailureType(to: LawError.self)) }
            return upstream.drop(untilOutputFrom: signal).eraseToAnyPublisher()
        },
        OperatorCase("prefix(untilOutputFrom:)") { upstream, bench in
            let signal = Deferred { bench.passing(Empty<Void, Never>(completeImmediately: false)) }
            return upstream.prefix(untilOutputFrom: signal).eraseToAnyPublisher()
        },
    ]

    private static let looking: [OperatorCase] = [
        OperatorCase("print(_:to:)", .looksOn) { upstream, bench in
            upstream.print(to: HookedStream(bench: bench)).eraseToAnyPublisher()
        },
        OperatorCase("breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)", .transparent) {
            upstream, bench in
            upstream.breakpoint(receiveOutput: { _ in bench.passing(false) }).eraseToAnyPublisher()
        },
        OperatorCase("assertNoFailure(_:file:line:)", [.recovers, .insists]) { upstream, _ in
            upstream.replaceError(with: -1).setFailureType(to: LawError.self).assertNoFailure().restoringLawError()
        },
        OperatorCase("map(_:), a key path", .transparent) { upstream, _ in upstream.map(\.self).eraseToAnyPublisher() },
        OperatorCase("replaceNil(with:)", .transparent) { upstream, bench in
            upstream.map { bench.passing(Int?($0)) }.replaceNil(with: -1).eraseToAnyPublisher()
        },
    ]
}

/// A stream that throws away what is written, after calling the hook.
private struct HookedStream: TextOutputStream {
    let bench: Bench

    func write(_ string: String) {
        bench.hook()
    }
}
