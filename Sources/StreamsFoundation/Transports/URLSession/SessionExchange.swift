import Dispatch
import Foundation
import Streams
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An exchange of a session. It buffers the events of its task and delivers them within the window.
// Safe because a lock guards all mutable state, and neither the task nor the receiver is called under the lock.
final class SessionExchange: TransportExchange, @unchecked Sendable {
    fileprivate struct State {
        var task: URLSessionTask?
        var body: BlockingBodyReader?
        var pending: [TransportEvent] = []
        var window: Int
        var sent: Int64 = 0
        var received: Int64 = 0
        var head: HTTPResponse<Void>?
        var lastActivity = ContinuousClock.now
        var isDelivering = false
        /// Whether the task is suspended, or a thread is suspending it.
        var isSuspended = false
        /// Whether a thread is suspending or resuming the task.
        var isUpdatingSuspension = false
        /// Whether the exchange has ended or was aborted.
        var isOver = false
    }

    private let request: TransportRequest
    private let receiver: any TransportReceiver
    private let state: Locked<State>

    init(_ request: TransportRequest, receiver: any TransportReceiver) {
        self.request = request
        self.receiver = receiver
        state = Locked(State(window: request.window))
    }

    func start(_ task: URLSessionTask, body: BlockingBodyReader?) {
        state.withLock { state in
            state.task = task
            state.body = body
        }
        task.resume()
        if let limit = request.idleTimeout { scheduleIdleCheck(after: limit, limit) }
    }

    func allow(bytes: Int) {
        state.withLock { $0.window += bytes }
        deliver()
    }

    func abort() {
        let (task, body) = state.withLock { $0.end() }
        body?.cancel()
        task?.cancel()
    }

    /// Fails the exchange, and cancels its task if that has started.
    func fail(_ failure: TransportFailure) {
        let task = state.withLock { $0.task }
        post(.failed(failure))
        task?.cancel()
    }
}

// MARK: From the session

extension SessionExchange {
    /// - Parameter expected: The length of the body, zero or negative if the session does not know it.
    func sent(_ count: Int64, of expected: Int64) {
        state.withLock { state in
            state.lastActivity = .now
            guard count > state.sent, state.head == nil, !state.isOver else { return }
            state.sent = count
            let total = expected > 0 ? expected : state.body?.length ?? request.body.length
            state.pending.append(.sent(count, of: total))
        }
        deliver()
    }

    func received(_ response: URLResponse) {
        guard let head = HTTPResponse(response, of: request) else { return }
        // A session accepts any status and any name.
        guard head.status.isValid else { return fail(TransportFailure(.transfer(.protocolError(.status)))) }
        guard head.headers.allSatisfy(\.name.isToken) else {
            return fail(TransportFailure(.transfer(.protocolError(.field))))
        }
        state.withLock { state in
            state.lastActivity = .now
            guard state.head == nil, !state.isOver else { return }
            state.head = head
            state.pending.append(.head(head))
        }
        deliver()
    }

    func received(_ data: Data) {
        guard !data.isEmpty else { return }
        state.withLock { state in
            state.lastActivity = .now
            guard !state.isOver else { return }
            state.received += Int64(data.count)
            state.pending.append(.chunk(data, received: state.received))
        }
        deliver()
    }

    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        let (head, body) = state.withLock { ($0.head, $0.body) }
        if let failure = body?.failure { return post(.failed(TransportFailure(.thrown(failure, by: .body)))) }
        if let error { return post(.failed(TransportFailure(session: error, hasHead: head != nil))) }
        // A session reports the head of a redirect only at the end.
        if head == nil, let response { received(response) }
        let (finalHead, received) = state.withLock { ($0.head, $0.received) }
        guard let finalHead else { return post(.failed(TransportFailure(.transfer(.notHTTP)))) }
        // A session may finish before the whole body was received.
        if let length = finalHead.contentLength(inAnswerTo: request.method), received < length {
            return post(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
        }
        post(.finished)
    }

    /// Returns a stream of the body for another attempt, nil if the body cannot be replayed or the exchange is over.
    func makeBodyStream() -> InputStream? {
        guard let body = state.withLock({ $0.body }) else { return nil }
        if body.isUnread { return body.makeStream() }
        guard request.body.isReplayable, let next = try? BlockingBodyReader(request.body) else { return nil }
        let unused = state.withLock { state -> BlockingBodyReader? in
            guard !state.isOver else { return next }
            defer { state.body = next }
            return state.body
        }
        unused?.cancel()
        return unused === next ? nil : next.makeStream()
    }
}

// MARK: Delivery

extension SessionExchange {
    private func post(_ event: TransportEvent) {
        state.withLock { state in
            if !state.isOver { state.pending.append(event) }
        }
        deliver()
    }

    /// Delivers the pending events within the window. One thread at a time delivers, also the events of other threads.
    private func deliver() {
        let isFree = state.withLock { state in
            guard !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        guard isFree else { return }
        while let event = next() { receiver.receive(event) }
        if Self.canSuspend { updateSuspension() }
    }

    /// Suspends the task while the window is used up, so that the peer waits.
    private func updateSuspension() {
        // One thread at a time: a suspension and a resumption must not overtake each other.
        let isFree = state.withLock { state in
            defer { state.isUpdatingSuspension = true }
            return !state.isUpdatingSuspension
        }
        guard isFree else { return }
        while let (task, isSuspended) = state.withLock({ $0.takeSuspensionChange() }) {
            if isSuspended { task.suspend() } else { task.resume() }
        }
    }

    #if canImport(Darwin)
    private static let canSuspend = true
    #else
    // On Linux a suspended task may continue to receive, or never resume.
    private static let canSuspend = false
    #endif

    private func next() -> TransportEvent? {
        let (event, ended) = state.withLock { state -> (TransportEvent?, BlockingBodyReader?) in
            guard !state.isOver, let event = state.pending.first, state.mayDeliver(event) else {
                state.isDelivering = false
                return (nil, nil)
            }
            state.pending.removeFirst()
            switch event {
            case .chunk(let data, _): state.window -= data.count
            case .finished, .failed: return (event, state.end().body)
            case .connected, .sent, .head, .trailers, .metrics: break
            }
            // The idle timeout counts from here: the exchange now waits for the peer.
            if state.pending.isEmpty { state.lastActivity = .now }
            return (event, nil)
        }
        ended?.cancel()
        return event
    }
}

extension SessionExchange.State {
    fileprivate func mayDeliver(_ event: TransportEvent) -> Bool {
        if case .chunk = event { window > 0 } else { true }
    }

    /// Returns the task and whether to suspend it, nil if its suspension does not change.
    fileprivate mutating func takeSuspensionChange() -> (URLSessionTask, Bool)? {
        let mustSuspend = window <= 0 && !pending.isEmpty
        guard let task, mustSuspend != isSuspended else {
            isUpdatingSuspension = false
            return nil
        }
        isSuspended = mustSuspend
        return (task, mustSuspend)
    }

    /// Ends the exchange and releases its task, its body and its events.
    fileprivate mutating func end() -> (task: URLSessionTask?, body: BlockingBodyReader?) {
        defer {
            isOver = true
            pending = []
            task = nil
            body = nil
        }
        return (task, body)
    }
}

// MARK: Timeouts

extension SessionExchange {
    /// Checks the idle timeout after a delay.
    private func scheduleIdleCheck(after delay: Duration, _ limit: Duration) {
        let nanoseconds = Int(clamping: Int64(min(delay / .nanoseconds(1), 4e18)))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.checkIdleTimeout(limit)
        }
    }

    private func checkIdleTimeout(_ limit: Duration) {
        guard let idleSince else { return }
        let rest = idleSince + limit - .now
        guard rest <= .zero else { return scheduleIdleCheck(after: rest, limit) }
        fail(TransportFailure(.timeout(.idle)))
    }

    /// The time since which the exchange has waited for the peer, nil after its end.
    var idleSince: ContinuousClock.Instant? {
        state.withLock { $0.isOver ? nil : $0.idleSince }
    }
}

extension SessionExchange.State {
    /// The exchange does not wait for the peer while events are pending or while the body waits for its source.
    fileprivate var idleSince: ContinuousClock.Instant {
        guard pending.isEmpty else { return .now }
        return max(lastActivity, body?.lastWaitEnd ?? lastActivity)
    }
}

extension ContinuousClock.Instant {
    fileprivate static func + (instant: Self, duration: Duration) -> Self { instant.advanced(by: duration) }
    fileprivate static func - (end: Self, start: Self) -> Duration { start.duration(to: end) }
}
