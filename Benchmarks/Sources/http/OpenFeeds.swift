import Exchanging
import FeedServing
import Foundation
import Measuring
import Synchronization

/// Measures feeds that are open at the same time: their memory, and the processor time of half a minute.
struct OpenFeeds {
    let url: String
    let count: Int

    private static let time = Duration.seconds(30)

    func measure(_ receiver: any EventReceiver) async throws -> Outcome {
        // The memory that the process keeps for good is allocated by the first feeds.
        try await open(16, receiver) { _ in }
        let before = Meter.residentMemory
        return try await open(count, receiver) { events in
            let meter = Meter()
            let first = events.total
            try await Task.sleep(for: Self.time)
            let received = events.total - first
            let expected = count * Int(Self.time / FeedServerProgram.interval)
            guard abs(received - expected) <= expected / 20 else {
                throw ExchangeFailure("\(received) events instead of \(expected)")
            }
            var outcome = meter.outcome(units: received, checksum: count)
            outcome.bytesPerFeed = Double(Meter.residentMemory - before) / Double(count)
            return outcome
        }
    }

    /// Opens feeds, and runs a closure when all of them have got their first event.
    private func open<Result: Sendable>(
        _ count: Int, _ receiver: any EventReceiver, _ body: (EventCounts) async throws -> Result
    ) async throws -> Result {
        let events = EventCounts(feeds: count)
        let feeds = Task { [url] in
            try await receiver.openFeeds(count, at: url) { number, data in
                if data == FeedServer.data { events.add(toFeed: number) }
            }
        }
        defer { feeds.cancel() }
        let deadline = ContinuousClock.now + .seconds(120)
        while events.openFeeds < count {
            guard ContinuousClock.now < deadline else { throw ExchangeFailure("not all feeds are open") }
            try await Task.sleep(for: .milliseconds(100))
        }
        let result = try await body(events)
        feeds.cancel()
        _ = await feeds.result
        return result
    }
}

/// The numbers of events of feeds.
private final class EventCounts: Sendable {
    private struct State {
        /// Whether the feed of each number has got an event.
        var isOpen: [Bool]
        var openFeeds = 0
        var total = 0
    }

    private let state: Mutex<State>

    init(feeds: Int) {
        state = Mutex(State(isOpen: Array(repeating: false, count: feeds)))
    }

    /// The number of feeds that have got an event.
    var openFeeds: Int { state.withLock { $0.openFeeds } }
    /// The number of events of all feeds.
    var total: Int { state.withLock { $0.total } }

    func add(toFeed number: Int) {
        state.withLock { state in
            if !state.isOpen[number] { state.openFeeds += 1 }
            state.isOpen[number] = true
            state.total += 1
        }
    }
}
