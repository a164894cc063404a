import Streams
import StreamsTesting
import Testing

/// `values` of a subject, behind an operator that was written for Combine and does not return its downstream's
/// `needsEveryValue`: the values that Combine delivers are delivered.
@Suite("values behind operators written for Combine", .timeLimit(.minutes(2)))
struct ValuesOfCombineOperatorsTests {
    typealias Stream = AnyPublisher<Int, Never>
    typealias Subject = PassthroughSubject<Int, Never>

    /// The subscription that the operator hands down.
    enum Form: CaseIterable {
        case upstreams
        case ownStructure
        case ownObject

        /// - Parameter afterRequest: A closure called when the upstream has received a request.
        func apply(
            to upstream: some Publisher<Int, Never>, afterRequest: @escaping @Sendable () -> Void = {}
        ) -> Stream {
            let requested = CombineOperator(upstream: upstream, form: .ownObject, afterRequest: afterRequest)
            return CombineOperator(upstream: requested, form: self, afterRequest: {}).eraseToAnyPublisher()
        }
    }

    @Test("A value sent to an awaiting call is received, and one without demand is dropped", arguments: Form.allCases)
    func receivesAwaitedValues(_ form: Form) async {
        let (subject, sent) = (Subject(), Counter())
        let stream = form.apply(to: subject) {
            subject.send(sent.increment())
            subject.send(-1)
        }
        var iterator = stream.values.makeAsyncIterator()
        for expected in 1...50 { #expect(await iterator.next() == expected) }
        subject.send(completion: .finished)
        #expect(await iterator.next() == nil)
    }

    @Test("A current-value subject keeps its latest value for the next call", arguments: Form.allCases)
    func receivesTheLatestValue(_ form: Form) async {
        let subject = CurrentValueSubject<Int, Never>(0)
        var iterator = form.apply(to: subject).values.makeAsyncIterator()
        #expect(await iterator.next() == 0)
        for value in 1...3 { subject.send(value) }
        #expect(await iterator.next() == 3)
        subject.send(4)
        subject.send(completion: .finished)
        #expect(await iterator.next() == nil)
    }

    /// Operators that request all values in Combine, too.
    private static let keeping: [@Sendable (Stream) -> Stream] = [
        { $0.buffer(size: 200, prefetch: .byRequest, whenFull: .dropOldest).eraseToAnyPublisher() },
        { $0.buffer(size: 200, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher() },
        { $0.collect(200).flatMap { $0.publisher }.eraseToAnyPublisher() },
        { $0.reduce([]) { $0 + [$1] }.flatMap { $0.publisher }.eraseToAnyPublisher() },
    ]

    /// It requests a batch of values from a source that emits inside the request, and all from others.
    private static let zipping: @Sendable (Stream) -> Stream = { numbers in
        numbers.zip((1...).publisher).map(\.0).buffer(size: 200, prefetch: .byRequest, whenFull: .dropOldest)
            .eraseToAnyPublisher()
    }

    @Test("An operator that requests all values keeps them", arguments: Form.allCases, 0...keeping.count)
    func keepsValues(_ form: Form, _ index: Int) async {
        let keep = (Self.keeping + [Self.zipping])[index]
        for isKeptBefore in [false, true] {
            let (subject, requests) = (Subject(), Counter())
            let requested = Form.ownObject.apply(to: subject) { requests.increment() }
            let stream = isKeptBefore ? form.apply(to: keep(requested)) : keep(form.apply(to: requested))
            async let received = stream.values.reduce(into: []) { $0.append($1) }
            while requests.value == 0 { await Task.yield() }
            for value in 1...200 { subject.send(value) }
            subject.send(completion: .finished)
            #expect(await received == Array(1...200))
        }
    }

    /// A subject that a sequence feeds sends all values from inside the first request.
    @Test("An operator that requests all values keeps those sent inside the request", arguments: Form.allCases)
    func keepsValuesSentInsideTheRequest(_ form: Form) async {
        for (index, keep) in Self.keeping.enumerated() {
            let subject = Subject()
            let feed = (1...200).publisher.subscribe(subject)
            var received: [Int] = []
            for await value in keep(form.apply(to: subject)).values { received.append(value) }
            #expect(received == Array(1...200), "\(index)")
            feed.cancel()
        }
    }
}

/// An operator as it is written for Combine.
private struct CombineOperator<Upstream: Publisher>: Publisher where Upstream.Output == Int {
    typealias Output = Int
    typealias Failure = Upstream.Failure

    let upstream: Upstream
    let form: ValuesOfCombineOperatorsTests.Form
    let afterRequest: @Sendable () -> Void

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
        upstream.subscribe(Inner(downstream: subscriber, form: form, afterRequest: afterRequest))
    }

    private struct Inner<Downstream: Subscriber>: Subscriber
    where Downstream.Input == Int, Downstream.Failure == Upstream.Failure {
        let combineIdentifier = CombineIdentifier()
        let downstream: Downstream
        let form: ValuesOfCombineOperatorsTests.Form
        let afterRequest: @Sendable () -> Void

        func receive(subscription: any Subscription) {
            switch form {
            case .upstreams: downstream.receive(subscription: subscription)
            case .ownStructure:
                downstream.receive(
                    subscription: StructureSubscription(upstream: subscription, afterRequest: afterRequest))
            case .ownObject:
                downstream.receive(subscription: ObjectSubscription(upstream: subscription, afterRequest: afterRequest))
            }
        }

        func receive(_ input: Int) -> Subscribers.Demand {
            downstream.receive(input)
        }

        func receive(completion: Subscribers.Completion<Upstream.Failure>) {
            downstream.receive(completion: completion)
        }
    }
}

private struct StructureSubscription: Subscription {
    let combineIdentifier = CombineIdentifier()
    let upstream: any Subscription
    let afterRequest: @Sendable () -> Void

    func request(_ demand: Subscribers.Demand) {
        upstream.request(demand)
        afterRequest()
    }

    func cancel() { upstream.cancel() }
}

private final class ObjectSubscription: Subscription {
    private let base: StructureSubscription

    init(upstream: any Subscription, afterRequest: @escaping @Sendable () -> Void) {
        base = StructureSubscription(upstream: upstream, afterRequest: afterRequest)
    }

    func request(_ demand: Subscribers.Demand) { base.request(demand) }
    func cancel() { base.cancel() }
}
