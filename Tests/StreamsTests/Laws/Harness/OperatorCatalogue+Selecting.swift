import Streams
import StreamsTesting

extension OperatorCase {
    /// The operators that pass on a part of the values, put them together or look at them, set up so that nothing is
    /// left out.
    static let selecting: [OperatorCase] = bySelf + bySignal + looking

    private static let bySelf: [OperatorCase] = [
        OperatorCase("dropFirst(_:)") { upstream, _ in upstream.dropFirst(0).eraseToAnyPublisher()
        },
        OperatorCase("drop(while:)") { upstream, context in
            upstream.drop { _ in context.passing(false) }.eraseToAnyPublisher()
        },
        OperatorCase("tryDrop(while:)") { upstream, context in
            upstream.tryDrop { _ in context.passing(false) }.restoringLawError()
        },
        OperatorCase("prefix(while:)") { upstream, context in
            upstream.prefix { _ in context.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("tryPrefix(while:)") { upstream, context in
            upstream.tryPrefix { _ in context.passing(true) }.restoringLawError()
        },
        OperatorCase("replaceEmpty(with:)", .endsOnDemand) { upstream, _ in
            upstream.replaceEmpty(with: -1).eraseToAnyPublisher()
        },
        OperatorCase("collect(_:)") { upstream, context in
            upstream.collect(1).map { context.passing($0[0]) }.eraseToAnyPublisher()
        },
    ]

    private static let bySignal: [OperatorCase] = [
        OperatorCase("drop(untilOutputFrom:)") { upstream, context in
            let signal = Deferred { context.passing(Just(()).setFailureType(to: LawError.self)) }
            return upstream.drop(untilOutputFrom: signal).eraseToAnyPublisher()
        },
        OperatorCase("prefix(untilOutputFrom:)") { upstream, context in
            let signal = Deferred { context.passing(Empty<Void, Never>(completeImmediately: false)) }
            return upstream.prefix(untilOutputFrom: signal).eraseToAnyPublisher()
        },
    ]

    private static let looking: [OperatorCase] = [
        OperatorCase("print(_:to:)") { upstream, context in
            upstream.print(to: HookedStream(context: context)).eraseToAnyPublisher()
        },
        OperatorCase("breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)", .transparent) {
            upstream, context in
            upstream.breakpoint(receiveOutput: { _ in context.passing(false) }).eraseToAnyPublisher()
        },
        OperatorCase("assertNoFailure(_:file:line:)", [.recovers, .countsDemand]) { upstream, _ in
            upstream.replaceError(with: -1).setFailureType(to: LawError.self).assertNoFailure().restoringLawError()
        },
        OperatorCase("map(_:), a key path", .transparent) { upstream, _ in upstream.map(\.self).eraseToAnyPublisher() },
        OperatorCase("replaceNil(with:)", .transparent) { upstream, context in
            upstream.map { context.passing(Int?($0)) }.replaceNil(with: -1).eraseToAnyPublisher()
        },
    ]
}

/// A stream that throws away what is written, after calling the hook.
private struct HookedStream: TextOutputStream {
    let context: LawContext

    func write(_ string: String) {
        context.hook()
    }
}
