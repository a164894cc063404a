import StreamsTesting
import Testing

@testable import Streams

@Suite struct StateDrainTests {
    /// The owner of a drain, whose events are numbers. A negative number requests as many values of the upstream.
    final class Owner: @unchecked Sendable {
        // Safe because the state belongs to the drain, and the closures are set before the first event.
        struct State: DrainState {
            var numbers: [Int] = []
            var requests = LinkRequests()
        }

        let link = UpstreamLink()
        let drain = StateDrain<State, Int>(State())
        /// Whether a turn is under way, unlocked so that Thread Sanitizer detects overlaps.
        var isHandling = false
        var onNumber: (Int) -> Void = { _ in }

        /// The numbers of all turns.
        var numbers: [Int] { drain.performIfIdle({ $0.numbers }, for: self) { $0.handle($1, &$2) } ?? [] }

        func submit(_ number: Int) {
            drain.submit(number, for: self) { $0.handle($1, &$2) }
        }

        /// Submits a number as a value of the upstream.
        func receive(_ number: Int) -> Subscribers.Demand {
            drain.perform({ handle(number, &$0) }, orEnqueue: number, returningTo: link, for: self) {
                $0.handle($1, &$2)
            }
        }

        func handle(_ number: Int, _ state: inout State) {
            isHandling = true
            state.numbers.append(number)
            onNumber(number)
            if number < 0 { state.requests.add(.max(-number), to: link) }
            isHandling = false
        }
    }

    /// A subscription that calls a closure for each request.
    final class Upstream: Subscription {
        let onRequest: (Subscribers.Demand) -> Void

        init(onRequest: @escaping (Subscribers.Demand) -> Void) {
            self.onRequest = onRequest
        }

        func request(_ demand: Subscribers.Demand) { onRequest(demand) }
        func cancel() {}
    }

    @Test func requestsAfterTheTurn() {
        let owner = Owner()
        var requests: [Subscribers.Demand] = []
        _ = owner.link.attach(
            Upstream { demand in
                #expect(!owner.isHandling)
                requests.append(demand)
            })
        owner.onNumber = { number in
            if number == 1 { owner.submit(-2) }
        }
        owner.submit(1)
        #expect(requests == [.max(2)])
        #expect(owner.numbers == [1, -2])
    }

    @Test func sumsTheRequestsOfATurn() {
        let owner = Owner()
        var requests: [Subscribers.Demand] = []
        _ = owner.link.attach(Upstream { requests.append($0) })
        owner.onNumber = { number in
            if number == -1 { [-2, -3].forEach(owner.submit) }
        }
        owner.submit(-1)
        #expect(requests == [.max(6)])
    }

    @Test func returnsTheDemandOfTheSender() {
        let owner = Owner()
        _ = owner.link.attach(Upstream { _ in Issue.record("The demand is returned instead.") })
        #expect(owner.receive(-3) == .max(3))
        #expect(owner.receive(1) == .none)
    }

    /// A source that emits from inside `request(_:)` causes the next request there.
    @Test func sendsRequestsOneAfterAnother() {
        let owner = Owner()
        var depth = 0
        var count = 0
        _ = owner.link.attach(
            Upstream { _ in
                depth += 1
                count += 1
                #expect(depth == 1)
                if count < 1000 { owner.submit(-1) }
                depth -= 1
            })
        owner.submit(-1)
        #expect(count == 1000)
    }

    @Test func changesTheStateOnOneThreadAtATime() {
        let owner = Owner()
        concurrently(4) { thread in
            for number in 0..<10_000 { owner.submit(thread * 10_000 + number) }
        }
        let numbers = owner.numbers
        #expect(numbers.count == 40_000)
        for thread in 0..<4 {
            #expect(numbers.filter { $0 / 10_000 == thread } == Array(thread * 10_000..<(thread + 1) * 10_000))
        }
    }
}

@Suite struct EndFlagTests {
    @Test func isSetOnce() {
        let end = EndFlag()
        let before = end.isSet
        let results = [end.set(), end.set()]
        let after = end.isSet
        #expect(!before)
        #expect(results == [true, false])
        #expect(after)
    }
}

@Suite struct LinkRequestsTests {
    let links = [UpstreamLink("first"), UpstreamLink("second"), UpstreamLink("third")]

    @Test func takesTheRequestsOfOneLink() {
        var requests = LinkRequests()
        for (index, demand) in [1, 2, 4, 8, 16].enumerated() { requests.add(.max(demand), to: links[index % 2]) }
        requests.add(.max(32), to: links[2])
        #expect(requests.take(for: links[0]) == .max(1 + 4 + 16))
        #expect(requests.take(for: links[0]) == .none)
        #expect(requests.take(for: links[1]) == .max(2 + 8))
        #expect(requests.take(for: links[2]) == .max(32))
        #expect(requests.isEmpty)
    }

    @Test func appendsRequests() {
        var requests = LinkRequests()
        requests.add(.max(1), to: links[0])
        var later = LinkRequests()
        later.add(.max(2), to: links[1])
        later.add(.unlimited, to: links[0])
        requests.append(later)
        #expect(requests.take(for: links[1]) == .max(2))
        #expect(requests.take(for: links[0]) == .unlimited)
    }

    @Test func ignoresRequestsForNothing() {
        var requests = LinkRequests()
        requests.add(.none, to: links[0])
        #expect(requests.isEmpty)
    }
}
