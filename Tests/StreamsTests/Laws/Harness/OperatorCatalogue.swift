import Streams
import StreamsTesting

extension OperatorCase {
    /// Every operator there is. One line puts another one through all the laws.
    static let all: [OperatorCase] =
        transforming + filtering + failing + combining + observing + timing + pacing + attempts + selecting + joining
        + bridging + diagnostics + typed + arities + variants

    private static let transforming: [OperatorCase] = [
        OperatorCase("map(_:)", .transparent) { upstream, bench in
            upstream.map { bench.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryMap(_:)", .looksOn) { upstream, bench in
            upstream.tryMap { bench.passing($0) }.restoringLawError()
        },
        OperatorCase("scan(_:_:)", .transparent) { upstream, bench in
            upstream.scan(0) { bench.passing($1) }.eraseToAnyPublisher()
        },
        OperatorCase("tryScan(_:_:)", .looksOn) { upstream, bench in
            upstream.tryScan(0) { bench.passing($1) }.restoringLawError()
        },
        OperatorCase("encode(encoder:)", .looksOn) { upstream, bench in
            upstream.encode(encoder: IntCoder(bench: bench)).restoringLawError()
        },
        OperatorCase("decode(type:decoder:)", .looksOn) { upstream, bench in
            upstream.decode(type: Int.self, decoder: IntCoder(bench: bench)).restoringLawError()
        },
        OperatorCase("flatMap(maxPublishers:_:)") { upstream, bench in
            upstream.flatMap { Just(bench.passing($0)).setFailureType(to: LawError.self) }.eraseToAnyPublisher()
        },
        OperatorCase("flatMap(maxPublishers:_:), one by one", .holdsBack) { upstream, bench in
            upstream.flatMap(maxPublishers: .max(1)) { Just(bench.passing($0)).setFailureType(to: LawError.self) }
                .eraseToAnyPublisher()
        },
    ]

    private static let filtering: [OperatorCase] = [
        OperatorCase("filter(_:)", .transparent) { upstream, bench in
            upstream.filter { _ in bench.passing(true) }.eraseToAnyPublisher()
        },
        OperatorCase("compactMap(_:)", .transparent) { upstream, bench in
            upstream.compactMap { bench.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("tryFilter(_:)", .strict) { upstream, bench in
            upstream.tryFilter { _ in bench.passing(true) }.restoringLawError()
        },
        OperatorCase("tryCompactMap(_:)", .strict) { upstream, bench in
            upstream.tryCompactMap { bench.passing($0) }.restoringLawError()
        },
        OperatorCase("removeDuplicates(by:)", .strict) { upstream, bench in
            upstream.removeDuplicates { _, _ in bench.passing(false) }.eraseToAnyPublisher()
        },
        OperatorCase("tryRemoveDuplicates(by:)", .strict) { upstream, bench in
            upstream.tryRemoveDuplicates { _, _ in bench.passing(false) }.restoringLawError()
        },
        OperatorCase("prefix(_:)", .looksOn) { upstream, _ in upstream.prefix(.max).eraseToAnyPublisher() },
        OperatorCase("output(in:)", .looksOn) { upstream, _ in upstream.output(in: 0...).eraseToAnyPublisher() },
    ]

    private static let failing: [OperatorCase] = [
        OperatorCase("mapError(_:)", .transparent) { upstream, bench in
            upstream.mapError { bench.passing($0) }.eraseToAnyPublisher()
        },
        OperatorCase("catch(_:)", [.insists, .looksOn]) { upstream, bench in
            upstream.catch { bench.passing(Fail(error: $0)) }.eraseToAnyPublisher()
        },
        OperatorCase("tryCatch(_:)", [.insists, .looksOn]) { upstream, bench in
            upstream.tryCatch { error -> Empty<Int, LawError> in throw bench.passing(error) }.restoringLawError()
        },
        OperatorCase("retry(_:)", [.recovers, .insists]) { upstream, _ in upstream.retry(2).eraseToAnyPublisher() },
        OperatorCase("replaceError(with:)", [.recovers, .insists]) { upstream, _ in
            upstream.replaceError(with: -1).restoringLawError()
        },
        OperatorCase("setFailureType(to:)", [.recovers, .insists]) { upstream, _ in
            upstream.replaceError(with: -1).setFailureType(to: LawError.self).eraseToAnyPublisher()
        },
    ]

    private static let combining: [OperatorCase] = [
        OperatorCase("append(_:)") { upstream, bench in
            upstream.append(Deferred { bench.passing(Empty()) }).eraseToAnyPublisher()
        },
        OperatorCase("prepend(_:)", .holdsBack) { upstream, bench in
            upstream.prepend(Deferred { bench.passing(Empty()) }).eraseToAnyPublisher()
        },
    ]

    private static let observing: [OperatorCase] = [
        OperatorCase(
            "handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)", .looksOn
        ) { upstream, bench in
            upstream.handleEvents(
                receiveSubscription: { _ in bench.hook() },
                receiveOutput: { _ in bench.hook() },
                receiveCompletion: { _ in bench.hook() },
                receiveCancel: { bench.hook() },
                receiveRequest: { _ in bench.hook() }
            ).eraseToAnyPublisher()
        },
        OperatorCase("share()", .hot) { upstream, _ in upstream.share().eraseToAnyPublisher() },
        OperatorCase("multicast(_:), autoconnect()", .hot) { upstream, bench in
            upstream.multicast { bench.passing(IntSubject()) }.autoconnect().eraseToAnyPublisher()
        },
    ]

    private static let timing: [OperatorCase] = [
        OperatorCase("receive(on:options:)", .scheduled) { upstream, bench in
            upstream.receive(on: bench.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("receive(on:options:), at once", .scheduled) { upstream, bench in
            upstream.receive(on: ImmediateScheduler.shared).eraseToAnyPublisher()
        },
        OperatorCase("subscribe(on:options:)") { upstream, bench in
            upstream.subscribe(on: bench.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("delay(for:tolerance:scheduler:options:)", .scheduled) { upstream, bench in
            upstream.delay(for: 1, scheduler: bench.scheduler).eraseToAnyPublisher()
        },
        OperatorCase("timeout(_:scheduler:options:customError:)", .scheduled) { upstream, bench in
            upstream.timeout(.seconds(1_000_000_000), scheduler: bench.scheduler) { bench.passing(.other) }
                .eraseToAnyPublisher()
        },
    ]
}

extension Bench {
    /// Calls the hook and hands a value back.
    func passing<Value>(_ value: Value) -> Value {
        hook()
        return value
    }
}
