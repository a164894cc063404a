import Streams
import StreamsTesting

extension OperatorCase {
    /// The operators that select, collect or inspect values, configured so that they deliver every value.
    static let selecting: [OperatorCase] = byValue + byTrigger + inspecting

    private static let byValue: [OperatorCase] = [
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
        OperatorCase("replaceEmpty(with:)", .endsOnDemand, delivering: .eachOrReplacement) { upstream, _ in
            upstream.replaceEmpty(with: -1).eraseToAnyPublisher()
        },
        OperatorCase("collect(_:)", delivering: .firstOfTwo) { upstream, context in
            upstream.collect(2).map { context.passing($0[0]) }.eraseToAnyPublisher()
        },
    ]

    private static let byTrigger: [OperatorCase] = [
        OperatorCase("drop(untilOutputFrom:)") { upstream, context in
            let trigger = Deferred { context.passing(Just(()).setFailureType(to: LawError.self)) }
            return upstream.drop(untilOutputFrom: trigger).eraseToAnyPublisher()
        },
        OperatorCase("drop(untilOutputFrom:), a late trigger", delivering: .allButFirst) { upstream, context in
            Deferred {
                let trigger = PassthroughSubject<Void, LawError>()
                return upstream.followed { trigger.send() }.drop(untilOutputFrom: context.passing(trigger))
            }.eraseToAnyPublisher()
        },
        OperatorCase("prefix(untilOutputFrom:)") { upstream, context in
            let trigger = Deferred { context.passing(Empty<Void, Never>(completeImmediately: false)) }
            return upstream.prefix(untilOutputFrom: trigger).eraseToAnyPublisher()
        },
    ]

    private static let inspecting: [OperatorCase] = [
        OperatorCase("print(_:to:)") { upstream, context in
            upstream.print(to: HookedStream(context: context)).eraseToAnyPublisher()
        },
        OperatorCase("breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)", .transparent) {
            upstream, context in
            upstream.breakpoint(receiveOutput: { _ in context.passing(false) }).eraseToAnyPublisher()
        },
        OperatorCase("assertNoFailure(_:file:line:)", [.recovers, .transparent]) { upstream, _ in
            upstream.finishingAtFailure().setFailureType(to: LawError.self).assertNoFailure().restoringLawError()
        },
        OperatorCase("map(_:), a key path", .transparent) { upstream, _ in upstream.map(\.self).eraseToAnyPublisher() },
        OperatorCase("replaceNil(with:)", .transparent) { upstream, context in
            upstream.map { context.passing(Int?($0)) }.replaceNil(with: -1).eraseToAnyPublisher()
        },
    ]
}

/// A text stream that calls the hook and discards the text.
private struct HookedStream: TextOutputStream {
    let context: LawContext

    func write(_ string: String) {
        context.hook()
    }
}
