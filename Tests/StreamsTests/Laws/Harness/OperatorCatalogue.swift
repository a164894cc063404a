import Streams
import StreamsTesting

extension OperatorCase {
    /// All operators of the core. Every law tests each of them.
    static let all: [OperatorCase] =
        transforming + filtering + failing + concatenating + observing + scheduling + timing + resubscribing + selecting
        + combining + bridging + diagnostics + typed + arities + variants

    private static let transforming: [OperatorCase] = [
        OperatorCase("map(_:)", .transparent) { upstream, context in
            upstream.map { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryMap(_:)") { upstream, context in
            upstream.tryMap { context.passing($0) }.restoringLawError()
        },
        OperatorCase("scan(_:_:)", .transparent) { upstream, context in
            upstream.scan(0) { context.passing($1) }.eraseToAnyPublisher()
        },
        OperatorCase("pairwise()", .transparent, delivering: .allButFirst) { upstream, context in
            upstream.pairwise().map { context.passing($0.current) }.eraseToAnyPublisher()
        },
        OperatorCase("chunked(by:)", delivering: .delayed) { upstream, context in
            upstream.chunked { _, _ in context.passing(false) }.map { context.passing($0[0]) }.eraseToAnyPublisher()
        },
        OperatorCase("scan(into:_:)", .transparent) { upstream, context in
            upstream.scan(into: 0) { $0 = context.passing($1) }.eraseToAnyPublisher()
        },
        OperatorCase("tryScan(_:_:)") { upstream, context in
            upstream.tryScan(0) { context.passing($1) }.restoringLawError()
        },
        OperatorCase("encode(encoder:)") { upstream, context in
            upstream.encode(encoder: IntCoder(context: context)).restoringLawError()
        },
        OperatorCase("decode(type:decoder:)") { upstream, context in
            upstream.decode(type: Int.self, decoder: IntCoder(context: context)).restoringLawError()
        },
        OperatorCase("flatMap(maxPublishers:_:)") { upstream, context in
            upstream.flatMap { subscribedTo(context.passing($0)) }.eraseToAnyPublisher()
        },
        OperatorCase("flatMap(maxPublishers:_:), one at a time", .holdsBack) { upstream, context in
            upstream.flatMap(maxPublishers: .max(1)) { subscribedTo(context.passing($0)) }.eraseToAnyPublisher()
        },
        OperatorCase("flatMap(maxPublishers:_:), to known values") { upstream, context in
            upstream.flatMap { Just(context.passing($0)).setFailureType(to: LawError.self) }.eraseToAnyPublisher()
        },
        OperatorCase("flatMap(maxPublishers:_:), to known values, one at a time", .holdsBack) { upstream, context in
            upstream.flatMap(maxPublishers: .max(1)) { Just(context.passing($0)).setFailureType(to: LawError.self) }
                .eraseToAnyPublisher()
        },
    ]

    private static let filtering: [OperatorCase] = [
        OperatorCase("filter(_:)", .transparent) { upstream, context in
            upstream.filter { _ in context.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("compactMap(_:)", .transparent) { upstream, context in
            upstream.compactMap { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryFilter(_:)") { upstream, context in
            upstream.tryFilter { _ in context.passing(true) }.restoringLawError()
        },
        OperatorCase("tryCompactMap(_:)") { upstream, context in
            upstream.tryCompactMap { context.passing($0) }.restoringLawError()
        },
        OperatorCase("removeDuplicates(by:)") { upstream, context in
            upstream.removeDuplicates { _, _ in context.passing(false) }.eraseToAnyPublisher()
        },
        OperatorCase("tryRemoveDuplicates(by:)") { upstream, context in
            upstream.tryRemoveDuplicates { _, _ in context.passing(false) }.restoringLawError()
        },
        OperatorCase("distinct(by:maxKeys:)") { upstream, context in
            upstream.distinct(by: { _ in context.passing(CombineIdentifier()) }, maxKeys: 3).eraseToAnyPublisher()
        },
        OperatorCase("prefix(_:)") { upstream, _ in upstream.prefix(.max).eraseToAnyPublisher() },
        OperatorCase("output(in:)") { upstream, _ in
            upstream.output(in: 0...).eraseToAnyPublisher()
        },
    ]

    private static let failing: [OperatorCase] = [
        OperatorCase("mapError(_:)", .transparent) { upstream, context in
            upstream.mapError { context.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("catch(_:)", [.countsDemand]) { upstream, context in
            upstream.catch { context.passing(Fail(error: $0)) }.eraseToAnyPublisher()
        },
        OperatorCase("tryCatch(_:)", [.countsDemand]) { upstream, context in
            upstream.tryCatch { error -> Empty<Int, LawError> in throw context.passing(error) }.restoringLawError()
        },
        OperatorCase("retry(_:)", [.recovers, .countsDemand]) { upstream, _ in
            upstream.retry(2).eraseToAnyPublisher()
        },
        OperatorCase("replaceError(with:)", [.recovers, .countsDemand]) { upstream, _ in
            upstream.replaceError(with: -1).restoringLawError()
        },
        OperatorCase("setFailureType(to:)", [.recovers, .transparent]) { upstream, _ in
            upstream.finishingAtFailure().setFailureType(to: LawError.self).eraseToAnyPublisher()
        },
    ]

    private static let concatenating: [OperatorCase] = [
        OperatorCase("append(_:)") { upstream, context in
            upstream.append(Deferred { context.passing(Empty()) }).eraseToAnyPublisher()
        },
        OperatorCase("prepend(_:)", .holdsBack) { upstream, context in
            upstream.prepend(Deferred { context.passing(Empty()) }).eraseToAnyPublisher()
        },
        OperatorCase("switchIfEmpty(to:)", .countsDemand) { upstream, context in
            upstream.switchIfEmpty(to: Deferred { context.passing(Empty()) }).eraseToAnyPublisher()
        },
        OperatorCase("switchIfEmpty(to:), empty", .countsDemand) { upstream, _ in
            Empty().eraseToAnyPublisher().switchIfEmpty(to: upstream).eraseToAnyPublisher()
        },
    ]

    private static let observing: [OperatorCase] = [
        OperatorCase(
            "handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)",
        ) { upstream, context in
            upstream.handleEvents(
                receiveSubscription: { _ in context.hook() },
                receiveOutput: { _ in context.hook() },
                receiveCompletion: { _ in context.hook() },
                receiveCancel: { context.hook() },
                receiveRequest: { _ in context.hook() }
            ).eraseToAnyPublisher()
        },
        OperatorCase("share()", .hot) { upstream, _ in upstream.share().eraseToAnyPublisher() },
        OperatorCase("multicast(_:), autoconnect()", .hot) { upstream, context in
            upstream.multicast { context.passing(IntSubject()) }.autoconnect().eraseToAnyPublisher()
        },
    ]

    private static let scheduling: [OperatorCase] = [
        OperatorCase("receive(on:options:)", .scheduled) { upstream, context in
            upstream.receive(on: context.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("receive(on:options:), immediately", .scheduled) { upstream, context in
            upstream.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher()
        },
        OperatorCase("subscribe(on:options:)", .subscribesLater) { upstream, context in
            upstream.subscribe(on: context.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("delay(for:tolerance:scheduler:options:)", .scheduled) { upstream, context in
            upstream.delay(for: 1, scheduler: context.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("timeout(_:scheduler:options:customError:)", .scheduled) { upstream, context in
            upstream.timeout(.seconds(1_000_000_000), scheduler: context.scheduler) { context.passing(.other) }
                .eraseToAnyPublisher()
        },
    ]
}

extension LawContext {
    /// Calls the hook and returns the value.
    func passing<Value>(_ value: Value) -> Value {
        hook()
        return value
    }
}
