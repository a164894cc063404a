import Streams
import StreamsTesting
import Testing

/// Requests that are made while a value is delivered, of endless sources that emit from inside `request(_:)`. One of them
/// would otherwise fill a queue for ever.
@Suite("Rules 1 and 4: a request made while a value is delivered is as bounded as one from outside", .serialized)
struct NestedRequestLaws {
    private typealias Outer = PassthroughSubject<IntPublisher, LawError>
    private typealias Group = Operators.Group<Int, Int, Never>

    /// An operator that flattens publishers.
    struct Flattening: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let apply: @Sendable (AnyPublisher<IntPublisher, LawError>) -> IntPublisher

        static let all = [
            Flattening(testDescription: "flatMap") { $0.flatMap(\.self).eraseToAnyPublisher() },
            Flattening(testDescription: "flatMap, two at a time") { outer in
                outer.flatMap(maxPublishers: .max(2), \.self).eraseToAnyPublisher()
            },
            Flattening(testDescription: "switchToLatest") { $0.switchToLatest().eraseToAnyPublisher() },
            Flattening(testDescription: "flatMapLatest") { $0.flatMapLatest(\.self).eraseToAnyPublisher() },
        ]
    }

    /// The place at which a subscriber requests all values.
    private enum Request: CaseIterable {
        case inReceiveSubscription
        case duringAValue
        case returnedForAValue
    }

    @Test(
        "A subscriber may send another publisher, which is endless, while it receives a value, and request all of it",
        arguments: OperatorCase.all.filter(\.isBounded), Flattening.all)
    func boundsAnEndlessInnerPublisher(_ operatorCase: OperatorCase, _ flattening: Flattening) {
        for request in Request.allCases {
            let numbers = EndlessNumbers()
            let endless = UncheckedTransfer(
                operatorCase.apply(to: numbers.publisher.setFailureType(to: LawError.self)))
            let outer = UncheckedTransfer(Outer())
            let first = operatorCase.firstValue
            let recorder = IntRecorder(
                initialDemand: request == .inReceiveSubscription ? .unlimited : .max(2),
                demandForValue: { request == .returnedForAValue && $0 == first ? .unlimited : .none }
            ) { recorder, event in
                if event.value == -1 { outer.value.send(endless.value) }
                if event.value == first, request == .duringAValue { recorder.request(.unlimited) }
                if recorder.values.count == 5 { recorder.cancel() }
            }
            flattening.apply(outer.value.eraseToAnyPublisher()).subscribe(recorder)
            let inner = IntSubject()
            outer.value.send(inner.eraseToAnyPublisher())
            inner.send(-1)
            inner.send(completion: .finished)
            expectFiveValues(of: recorder, numbers)
        }
    }

    @Test(
        "A subscriber may subscribe another one to an endless publisher while it receives a value",
        arguments: OperatorCase.all.filter(\.isBounded))
    func boundsASubscriptionInsideADelivery(_ operatorCase: OperatorCase) {
        for request in Request.allCases {
            let numbers = EndlessNumbers()
            let another = IntRecorder(
                initialDemand: request == .inReceiveSubscription ? .unlimited : .max(1),
                demandForValue: { _ in request == .returnedForAValue ? .unlimited : .none }
            ) { recorder, event in
                guard event.value != nil else { return }
                if request == .duringAValue { recorder.request(.unlimited) }
                if recorder.values.count == 5 { recorder.cancel() }
            }
            let recorder = IntRecorder { recorder, event in
                guard event.value != nil, recorder.values.count == 1 else { return }
                operatorCase.apply(to: numbers.publisher.setFailureType(to: LawError.self)).subscribe(another)
            }
            operatorCase.apply(to: count(to: 4)).subscribe(recorder)
            #expect(recorder.values == operatorCase.output(of: 0..<4, isFinished: true))
            #expect(recorder.violations == [])
            expectFiveValues(of: another, numbers)
        }
    }

    private func expectFiveValues(of recorder: IntRecorder, _ numbers: EndlessNumbers) {
        #expect(recorder.values.count == 5)
        #expect(recorder.values == recorder.values.sorted())
        #expect(numbers.taken < 200)
        #expect(recorder.violations == [])
    }

    @Test("A window of an endless publisher may be subscribed to after its values have come")
    func boundsALateWindow() {
        let numbers = EndlessNumbers()
        let windows = RecordingSubscriber<Group, Never>()
        numbers.publisher.window(count: 1_000, bufferSize: 8).subscribe(windows)
        expectThreeValues(of: windows, numbers)
    }

    @Test("A group of an endless publisher may be subscribed to after its values have come")
    func boundsALateGroup() {
        let numbers = EndlessNumbers()
        let groups = RecordingSubscriber<Group, Never>()
        numbers.publisher.group(by: { _ in 0 }, bufferSize: 8).subscribe(groups)
        expectThreeValues(of: groups, numbers)
    }

    private func expectThreeValues(of groups: RecordingSubscriber<Group, Never>, _ numbers: EndlessNumbers) {
        #expect(groups.values.count == 1 && numbers.taken < 10)
        // Without its subscriber, the operator would drop the values of a group that was cancelled.
        let recorder = RecordingSubscriber<Int, Never> { recorder, event in
            guard event.value == 2 else { return }
            groups.cancel()
            recorder.cancel()
        }
        groups.values.first?.subscribe(recorder)
        #expect(recorder.values == [0, 1, 2])
        #expect(numbers.taken < 20)
        #expect(recorder.violations == [])
    }
}
