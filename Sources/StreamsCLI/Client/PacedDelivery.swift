import Dispatch
import StreamsHTTP
import Synchronization

/// Delivers the events of an exchange in their order, serially, and the bytes of the response's body at a rate.
///
/// The exchange does not wait: what it has received is queued, at most its window, 1 MiB, and one read.
final class PacedDelivery: TransportReceiver {
    private let receiver: any TransportReceiver
    private let queue: Mutex<PacedEvents>

    init(to receiver: any TransportReceiver, rate: Int) {
        self.receiver = receiver
        queue = Mutex(PacedEvents(pace: Pace(rate: rate, start: .now)))
    }

    func receive(_ event: TransportEvent) {
        guard queue.withLock({ $0.append(event) }) else { return }
        deliver()
    }

    /// Ends the delivery. An event that another thread is delivering may still arrive.
    func stop() {
        // The events are released outside of the lock.
        _ = queue.withLock { $0.stop() }
    }

    private func deliver() {
        while true {
            switch queue.withLock({ $0.next(at: .now) }) {
            case .event(let event): receiver.receive(event)
            case .wait(let time): return PaceTimer.run(at: time) { self.resume() }
            case .none: return
            }
        }
    }

    private func resume() {
        guard queue.withLock({ $0.resume() }) else { return }
        deliver()
    }
}

/// The events of an exchange that wait for their delivery.
struct PacedEvents: Sendable {
    /// The next step of the thread that delivers.
    enum Step {
        case event(TransportEvent)
        /// Delivery goes on at this time.
        case wait(ContinuousClock.Instant)
    }

    private enum Phase {
        case idle
        case delivering
        case waiting
        case stopped
    }

    private var pace: Pace
    private let start: ContinuousClock.Instant
    private var events: ArraySlice<TransportEvent> = []
    private var phase = Phase.idle
    /// The number of bytes of the body, as received from the network, that have been delivered.
    private var received: Int64 = 0

    init(pace: Pace) {
        self.pace = pace
        start = pace.next
    }

    /// Adds an event.
    ///
    /// - Returns: Whether the caller has to deliver.
    mutating func append(_ event: TransportEvent) -> Bool {
        guard phase != .stopped else { return false }
        events.append(event)
        guard phase == .idle else { return false }
        phase = .delivering
        return true
    }

    /// Ends a wait.
    ///
    /// - Returns: Whether the caller has to deliver.
    mutating func resume() -> Bool {
        guard phase == .waiting else { return false }
        phase = .delivering
        return true
    }

    /// - Returns: The events that are not delivered.
    mutating func stop() -> ArraySlice<TransportEvent> {
        phase = .stopped
        defer { events = [] }
        return events
    }

    /// Takes the next event, or the part of a chunk that may pass; `nil` if there is none.
    ///
    /// No event passes before the bytes in front of it have taken their time, so that the rate is not exceeded on the
    /// whole.
    mutating func next(at now: ContinuousClock.Instant) -> Step? {
        guard phase == .delivering else { return nil }
        guard let event = events.first else {
            phase = .idle
            return nil
        }
        let allowance = pace.allowance(at: now)
        guard allowance > 0 else {
            phase = .waiting
            return .wait(pace.next)
        }
        events.removeFirst()
        switch event {
        case .chunk(let chunk, let total):
            return .event(.chunk(take(chunk, total, allowance, now), received: received))
        case .metrics(var metrics):
            // The transport is ahead of the delivery.
            metrics.total = max(metrics.total, now - start)
            return .event(.metrics(metrics))
        default:
            return .event(event)
        }
    }

    /// Takes the part of a chunk that may pass, and puts back the rest. Bytes count as on the network, so that a part of a
    /// compressed body is larger.
    private mutating func take(
        _ chunk: Data, _ total: Int64, _ allowance: Int, _ now: ContinuousClock.Instant
    ) -> Data {
        let cost = max(total - received, 0)
        let share = cost > allowance ? Double(allowance) / Double(cost) : 1
        let count = min(max(Int(Double(chunk.count) * share), 1), chunk.count)
        guard count < chunk.count else {
            pace.pass(cost, at: now)
            received += cost
            return chunk
        }
        let part = min(Int64(allowance), cost)
        pace.pass(part, at: now)
        received += part
        events.insert(.chunk(chunk.dropFirst(count), received: total), at: events.startIndex)
        return chunk.prefix(count)
    }
}

/// Runs actions at a time.
enum PaceTimer {
    static func run(at time: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
        let delay = max(time - .now, .zero) / .seconds(1)
        DispatchQueue.global().asyncAfter(deadline: .now() + delay, execute: action)
    }
}
