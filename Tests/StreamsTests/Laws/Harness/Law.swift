import Testing

/// A law as a value, to be applied to the operators of other modules. The suites apply the laws to those of the core.
struct Law: Sendable, CustomTestStringConvertible {
    /// The suite and the function of the law.
    let name: String

    private let condition: @Sendable (OperatorCase) -> Bool
    private let body: @Sendable (OperatorCase) async throws -> Void

    private init(
        _ name: String, for condition: @escaping @Sendable (OperatorCase) -> Bool = { _ in true },
        _ body: @escaping @Sendable (OperatorCase) async throws -> Void
    ) {
        self.name = name
        self.condition = condition
        self.body = body
    }

    var testDescription: String { name }

    /// Holds an operator to the law, if its traits require that.
    func apply(to operatorCase: OperatorCase) async throws {
        if condition(operatorCase) { try await body(operatorCase) }
    }
}

extension Law {
    /// All laws that hold for each operator.
    static let all: [Law] =
        bridge + brokenUpstream + demand + interleaving + lock + nestedRequest + reentrancy + release + serial
        + specification + stack + synchronousSource

    private static let bridge: [Law] = [
        Law("BridgeLaws.deliversAllValues", for: \.isIterable) { try await BridgeLaws().deliversAllValues($0) },
        Law("BridgeLaws.deliversAllValuesOfASubject", for: \.isIterableWithoutLoss) {
            try await BridgeLaws().deliversAllValuesOfASubject($0)
        },
        Law("BridgeLaws.deliversAllValuesOfALaterSubject", for: \.isIterableWithoutLoss) {
            try await BridgeLaws().deliversAllValuesOfALaterSubject($0)
        },
        Law("BridgeLaws.requestsOnlyAwaitedValues", for: \.isIterableOnDemand) {
            try await BridgeLaws().requestsOnlyAwaitedValues($0)
        },
        Law("BridgeLaws.releasingTheIteratorCancels", for: \.isIterable) {
            try await BridgeLaws().releasingTheIteratorCancels($0)
        },
        Law("BridgeLaws.cancellingTheTaskCancels", for: \.isIterable) {
            await BridgeLaws().cancellingTheTaskCancels($0)
        },
    ]

    private static let brokenUpstream: [Law] = [
        Law("BrokenUpstreamLaws.cancelsASecondSubscription", for: \.isStateful) {
            BrokenUpstreamLaws().cancelsASecondSubscription($0)
        },
        Law("BrokenUpstreamLaws.ignoresSignalsAfterCompletion", for: \.isStateful) {
            BrokenUpstreamLaws().ignoresSignalsAfterCompletion($0)
        },
        Law("BrokenUpstreamLaws.ignoresSignalsAfterCancellation", for: \.isStateful) {
            BrokenUpstreamLaws().ignoresSignalsAfterCancellation($0)
        },
        Law("BrokenUpstreamLaws.ignoresSignalsBeforeSubscription", for: \.isStateful) {
            BrokenUpstreamLaws().ignoresSignalsBeforeSubscription($0)
        },
        Law("BrokenUpstreamLaws.survivesRandomSignals") { BrokenUpstreamLaws().survivesRandomSignals($0) },
        Law("BrokenUpstreamLaws.ignoresValuesBeyondTheDemand", for: \.countsDemand) {
            BrokenUpstreamLaws().ignoresValuesBeyondTheDemand($0)
        },
        Law("BrokenUpstreamLaws.sinkIgnoresSignalsOutOfTurn") { BrokenUpstreamLaws().sinkIgnoresSignalsOutOfTurn($0) },
        Law("BrokenUpstreamLaws.ignoresARequestForNothing") { BrokenUpstreamLaws().ignoresARequestForNothing($0) },
    ]

    private static let demand: [Law] = [
        Law("DemandLaws.deliversEachNumberOfValues") { DemandLaws().deliversEachNumberOfValues($0) },
        Law("DemandLaws.deliversRequestedValues") { DemandLaws().deliversRequestedValues($0) },
        Law("DemandLaws.deliversNothingWithoutDemand") { DemandLaws().deliversNothingWithoutDemand($0) },
        Law("DemandLaws.saturatesDemand") { DemandLaws().saturatesDemand($0) },
        Law("DemandLaws.addsUpConcurrentRequests") { DemandLaws().addsUpConcurrentRequests($0) },
    ]

    private static let interleaving: [Law] = [
        Law("InterleavingLaws.interleavedCallsKeepTheRules") { InterleavingLaws().interleavedCallsKeepTheRules($0) }
    ]

    private static let lock: [Law] = [
        Law("LockLaws.holdsNoLockDuringSignals") { LockLaws().holdsNoLockDuringSignals($0) },
        Law("LockLaws.anotherThreadCancelsDuringAValue") { LockLaws().anotherThreadCancelsDuringAValue($0) },
        Law("LockLaws.holdsNoLockDuringClosures") { LockLaws().holdsNoLockDuringClosures($0) },
        Law("LockLaws.holdsNoLockDuringUpstreamCalls") { LockLaws().holdsNoLockDuringUpstreamCalls($0) },
        Law("LockLaws.holdsNoLockDuringRelease") { LockLaws().holdsNoLockDuringRelease($0) },
    ]

    private static let nestedRequest: [Law] = [
        Law("NestedRequestLaws.boundsAnEndlessInnerPublisher", for: \.isBounded) { operatorCase in
            for flattening in NestedRequestLaws.Flattening.all {
                NestedRequestLaws().boundsAnEndlessInnerPublisher(operatorCase, flattening)
            }
        },
        Law("NestedRequestLaws.boundsASubscriptionInsideADelivery", for: \.isBounded) {
            NestedRequestLaws().boundsASubscriptionInsideADelivery($0)
        },
    ]

    private static let reentrancy: [Law] = [
        Law("ReentrancyLaws.deliversNestedSendsInOrder") { ReentrancyLaws().deliversNestedSendsInOrder($0) },
        Law("ReentrancyLaws.deliversANestedCompletionAfterTheValue") {
            ReentrancyLaws().deliversANestedCompletionAfterTheValue($0)
        },
        Law("ReentrancyLaws.deliversSendsOfAnotherThreadInOrder") {
            ReentrancyLaws().deliversSendsOfAnotherThreadInOrder($0)
        },
        Law("ReentrancyLaws.servesNestedRequestsWithoutNesting") {
            ReentrancyLaws().servesNestedRequestsWithoutNesting($0)
        },
        Law("ReentrancyLaws.ignoresCallsAfterCompletion") { ReentrancyLaws().ignoresCallsAfterCompletion($0) },
        Law("ReentrancyLaws.subscribesWhileAValueIsDelivered") {
            ReentrancyLaws().subscribesWhileAValueIsDelivered($0)
        },
    ]

    private static let release: [Law] = [
        Law("ReleaseLaws.endReleasesEverything") { ReleaseLaws().endReleasesEverything($0) },
        Law("ReleaseLaws.retainedSubscriptionHoldsNothing") { ReleaseLaws().retainedSubscriptionHoldsNothing($0) },
        Law("ReleaseLaws.releasingTheCancellableCancels") { ReleaseLaws().releasingTheCancellableCancels($0) },
    ]

    private static let serial: [Law] = [
        Law("SerialLaws.serialisesConcurrentSenders") { SerialLaws().serialisesConcurrentSenders($0) },
        Law("SerialLaws.deliversOneOfConcurrentCompletions") { SerialLaws().deliversOneOfConcurrentCompletions($0) },
        Law("SerialLaws.deliversNothingAfterCancellationDuringAValue") {
            SerialLaws().deliversNothingAfterCancellationDuringAValue($0)
        },
        Law("SerialLaws.deliversNothingAfterCancellationDuringASentValue") {
            SerialLaws().deliversNothingAfterCancellationDuringASentValue($0)
        },
        Law("SerialLaws.deliversNothingAfterCancellationInReceiveSubscription") {
            SerialLaws().deliversNothingAfterCancellationInReceiveSubscription($0)
        },
        Law("SerialLaws.stopsAfterCancellationOnAnotherThread") {
            SerialLaws().stopsAfterCancellationOnAnotherThread($0)
        },
    ]

    private static let specification: [Law] = [
        Law("SpecificationLaws.deliversOneSubscriptionFirst") { SpecificationLaws().deliversOneSubscriptionFirst($0) },
        Law("SpecificationLaws.deliversTheCompletionOfAShortStream") {
            SpecificationLaws().deliversTheCompletionOfAShortStream($0)
        },
        Law("SpecificationLaws.servesEverySubscriber") { SpecificationLaws().servesEverySubscriber($0) },
        Law("SpecificationLaws.sameSubscriberCancelsTheSecondSubscription") {
            SpecificationLaws().sameSubscriberCancelsTheSecondSubscription($0)
        },
        Law("SpecificationLaws.callsNothingAfterCompletion") { SpecificationLaws().callsNothingAfterCompletion($0) },
        Law("SpecificationLaws.deliversTheCompletionWithoutDemand", for: \.completesWithoutDemand) {
            SpecificationLaws().deliversTheCompletionWithoutDemand($0)
        },
        Law("SpecificationLaws.cancelsUpstreamOnce") { SpecificationLaws().cancelsUpstreamOnce($0) },
    ]

    private static let stack: [Law] = [
        Law("StackLaws.demandKeepsTheStackFlat") { StackLaws().demandKeepsTheStackFlat($0) },
        Law("StackLaws.nestedSendsKeepTheStackFlat") { StackLaws().nestedSendsKeepTheStackFlat($0) },
        Law("StackLaws.releasesALongChainOfPublishers") { StackLaws().releasesALongChainOfPublishers($0) },
    ]

    private static let synchronousSource: [Law] = [
        Law("SynchronousSourceLaws.deliversValuesOfAnEndlessSource", for: \.deliversEndlessSources) {
            SynchronousSourceLaws().deliversValuesOfAnEndlessSource($0)
        },
        Law("SynchronousSourceLaws.cancelsASourceThatEmitsWhileItIsSubscribedTo", for: \.isPushing) {
            SynchronousSourceLaws().cancelsASourceThatEmitsWhileItIsSubscribedTo($0)
        },
        Law("SynchronousSourceLaws.deliversValuesSentInsideNestedRequests") {
            SynchronousSourceLaws().deliversValuesSentInsideNestedRequests($0)
        },
    ]
}
