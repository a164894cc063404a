/// Iterates an asynchronous sequence for one subscriber, as far as there is demand.
///
/// The task holds the turnstile, the iterator and the outlet, which lets go of the subscriber by itself. So an iterator
/// that does not heed cancellation keeps nothing alive but itself.
final class AsyncPull<Elements: AsyncSequence & Sendable>: Subscription, Sendable where Elements.Element: Sendable {
    private struct Plan: Sendable {
        let sequence: Elements
        let outlet: AnyOutlet<Elements.Element, Elements.Failure>
        let turnstile: Turnstile
        let priority: TaskPriority?
        let executor: (any TaskExecutor)?

        func run() async {
            var iterator = sequence.makeAsyncIterator()
            do throws(Elements.Failure) {
                while await turnstile.pass() {
                    guard let element = try await iterator.next(isolation: nil) else { return outlet.finish(.finished) }
                    outlet.send(element)
                }
            } catch {
                outlet.finish(.failure(error))
            }
        }
    }

    private let plan: Locked<Plan?>
    private let slot = TaskSlot()
    private let turnstile = Turnstile()

    init(
        _ sequence: Elements, to outlet: AnyOutlet<Elements.Element, Elements.Failure>,
        priority: TaskPriority?, executor: (any TaskExecutor)?
    ) {
        plan = Locked(
            Plan(sequence: sequence, outlet: outlet, turnstile: turnstile, priority: priority, executor: executor))
    }

    func request(_ demand: Subscribers.Demand) {
        turnstile.admit(demand)
        guard let plan = takePlan() else { return }
        slot.start(priority: plan.priority, executor: plan.executor) { await plan.run() }
    }

    func cancel() {
        withExtendedLifetime(takePlan()) {}
        turnstile.close()
        slot.cancel()
    }

    private func takePlan() -> Plan? {
        plan.withLock { $0.take() }
    }
}
