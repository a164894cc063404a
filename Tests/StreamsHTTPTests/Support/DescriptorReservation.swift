import Streams
import Testing

/// A trait that runs a test when the descriptors it opens are available.
///
/// Tests start all at once, and each test with a server holds a dozen descriptors. Together they exceed the usual limit of
/// 1,024, at which Dispatch ends the process.
struct DescriptorReservation: TestTrait, SuiteTrait, TestScoping {
    /// The maximum number of descriptors that the test holds at a time.
    let count: Int

    /// Whether the tests of a suite inherit its reservation, each for itself.
    var isRecursive: Bool { true }

    /// Returns the largest of a test's own reservation and its suite's, for each of the test's cases.
    ///
    /// A case that held one reservation while it waited for another could deadlock.
    func scopeProvider(for test: Test, testCase: Test.Case?) -> DescriptorReservation? {
        let counts = test.traits.compactMap { ($0 as? DescriptorReservation)?.count }
        return testCase != nil && count == counts.max() ? self : nil
    }

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        await DescriptorPool.shared.take(count)
        defer { DescriptorPool.shared.giveBack(count) }
        try await function()
    }
}

extension Trait where Self == DescriptorReservation {
    /// Reserves enough descriptors for a server, a transport and a few connections.
    static var reservesDescriptors: Self { .reservesDescriptors(20) }

    /// Reserves descriptors for a test with many connections, of which each takes two: the client's and the server's.
    static func reservesDescriptors(_ count: Int) -> Self { DescriptorReservation(count: count) }
}

/// The descriptors that tests share, granted in the order of the requests.
private final class DescriptorPool: Sendable {
    private struct State {
        var available: Int
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    /// Less than half of the usual limit: suites without reservations and servers that stay open need the rest.
    static let shared = DescriptorPool(count: 440)

    private let state: Locked<State>
    private let total: Int

    private init(count: Int) {
        total = count
        state = Locked(State(available: count))
    }

    func take(_ count: Int) async {
        precondition(count <= total, "No test may reserve more than \(total) descriptors.")
        await withCheckedContinuation { continuation in
            update { $0.waiting.append((count, continuation)) }
        }
    }

    func giveBack(_ count: Int) {
        update { $0.available += count }
    }

    /// Changes the state and resumes the tests whose descriptors are then available.
    private func update(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            var ready: [CheckedContinuation<Void, Never>] = []
            while let next = state.waiting.first, next.count <= state.available {
                state.available -= next.count
                ready.append(state.waiting.removeFirst().continuation)
            }
            return ready
        }
        for continuation in ready { continuation.resume() }
    }
}
