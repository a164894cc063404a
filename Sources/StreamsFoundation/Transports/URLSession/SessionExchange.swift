import Dispatch
import Foundation
import Streams
import StreamsHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange on a session: takes in what its task tells, and delivers it as far as there is room.
// Safe because all that changes is behind the lock, and neither the task nor the receiver is called under it.
final class SessionExchange: TransportExchange, @unchecked Sendable {
    fileprivate struct State {
        var task: URLSessionTask?
        var body: BlockingBodyReader?
        var waiting: [TransportEvent] = []
        var room: Int
        var sent: Int64 = 0
        var received: Int64 = 0
        var head: HTTPResponse<Void>?
        var lastActivity = ContinuousClock.now
        var isDelivering = false
        /// Whether the task is suspended, or about to be.
        var isPaused = false
        /// Whether a thread sees to that.
        var isPacing = false
        /// Whether the end has come, or is not wanted any more.
        var isOver = false
    }

    private let request: TransportRequest
    private let receiver: any TransportReceiver
    private let state: Locked<State>

    init(_ request: TransportRequest, receiver: any TransportReceiver) {
        self.request = request
        self.receiver = receiver
        state = Locked(State(room: request.window))
    }

    func start(_ task: URLSessionTask, body: BlockingBodyReader?) {
        state.withLock { state in
            state.task = task
            state.body = body
        }
        task.resume()
        if let limit = request.idleTimeout { watch(after: limit, limit) }
    }

    func grant(_ bytes: Int) {
        state.withLock { $0.room += bytes }
        deliver()
    }

    func abort() {
        let (task, body) = state.withLock { $0.end() }
        body?.cancel()
        task?.cancel()
    }

    /// Ends an exchange that has no task yet.
    func fail(_ failure: TransportFailure) {
        post(.failed(failure))
    }
}

// MARK: From the session

extension SessionExchange {
    /// - Parameter expected: How many there are in all, as the session sees it; not positive where it does not.
    func sent(_ count: Int64, of expected: Int64) {
        state.withLock { state in
            state.lastActivity = .now
            guard count > state.sent, state.head == nil, !state.isOver else { return }
            state.sent = count
            let total = expected > 0 ? expected : state.body?.length ?? request.body.length
            state.waiting.append(.sent(count, of: total))
        }
        deliver()
    }

    func received(_ response: URLResponse) {
        guard let head = HTTPResponse(response, of: request) else { return }
        state.withLock { state in
            state.lastActivity = .now
            guard state.head == nil, !state.isOver else { return }
            state.head = head
            state.waiting.append(.head(head))
        }
        deliver()
    }

    func received(_ data: Data) {
        guard !data.isEmpty else { return }
        state.withLock { state in
            state.lastActivity = .now
            guard !state.isOver else { return }
            state.received += Int64(data.count)
            state.waiting.append(.chunk(data, received: state.received))
        }
        deliver()
    }

    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        let (head, body) = state.withLock { ($0.head, $0.body) }
        if let failure = body?.failure { return post(.failed(TransportFailure(.body(failure)))) }
        if let error { return post(.failed(TransportFailure(session: error, hasHead: head != nil))) }
        // A redirect that is not followed is told at the end alone.
        if head == nil, let response { received(response) }
        let (told, received) = state.withLock { ($0.head, $0.received) }
        guard let told else { return post(.failed(TransportFailure(.transfer(.notHTTP)))) }
        // A session may take less than was announced for an end.
        if let length = told.contentLength(inAnswerTo: request.method), received < length {
            return post(.failed(TransportFailure(.transfer(.bodyEndedEarly))))
        }
        post(.finished)
    }

    /// A stream of the body for another sending; `nil` where it cannot be sent again, or is not wanted any more.
    func makeBodyStream() -> InputStream? {
        guard let body = state.withLock({ $0.body }) else { return nil }
        if body.isUntouched { return body.makeStream() }
        guard request.body.isReplayable, let next = try? BlockingBodyReader(request.body) else { return nil }
        let unwanted = state.withLock { state -> BlockingBodyReader? in
            guard !state.isOver else { return next }
            defer { state.body = next }
            return state.body
        }
        unwanted?.cancel()
        return unwanted === next ? nil : next.makeStream()
    }
}

// MARK: Delivery

extension SessionExchange {
    private func post(_ event: TransportEvent) {
        state.withLock { state in
            if !state.isOver { state.waiting.append(event) }
        }
        deliver()
    }

    /// Delivers what there is and there is room for. One thread at a time does; what others add, it delivers too.
    private func deliver() {
        let isMine = state.withLock { state in
            guard !state.isDelivering else { return false }
            state.isDelivering = true
            return true
        }
        guard isMine else { return }
        while let event = next() { receiver.receive(event) }
        if Self.canPause { pace() }
    }

    /// Suspends the task while there is no room, where that has the peer wait.
    private func pace() {
        // One thread at a time, for a suspension and its end must not overtake one another.
        let isMine = state.withLock { state in
            defer { state.isPacing = true }
            return !state.isPacing
        }
        guard isMine else { return }
        while let (task, isPaused) = state.withLock({ $0.takePause() }) {
            if isPaused { task.suspend() } else { task.resume() }
        }
    }

    #if canImport(Darwin)
    private static let canPause = true
    #else
    // A task that is suspended goes on there, or never again.
    private static let canPause = false
    #endif

    private func next() -> TransportEvent? {
        let (event, ended) = state.withLock { state -> (TransportEvent?, BlockingBodyReader?) in
            guard !state.isOver, let event = state.waiting.first, state.hasRoom(for: event) else {
                state.isDelivering = false
                return (nil, nil)
            }
            state.waiting.removeFirst()
            switch event {
            case .chunk(let data, _): state.room -= data.count
            case .finished, .failed: return (event, state.end().body)
            case .sent, .head, .metrics: break
            }
            // From now on it is the peer's turn.
            if state.waiting.isEmpty { state.lastActivity = .now }
            return (event, nil)
        }
        ended?.cancel()
        return event
    }
}

extension SessionExchange.State {
    fileprivate func hasRoom(for event: TransportEvent) -> Bool {
        if case .chunk = event { room > 0 } else { true }
    }

    /// Whether the task is to be suspended or resumed, where that is not what it is.
    fileprivate mutating func takePause() -> (URLSessionTask, Bool)? {
        let mustPause = room <= 0 && !waiting.isEmpty
        guard let task, mustPause != isPaused else {
            isPacing = false
            return nil
        }
        isPaused = mustPause
        return (task, mustPause)
    }

    /// Lets go of everything.
    fileprivate mutating func end() -> (task: URLSessionTask?, body: BlockingBodyReader?) {
        defer {
            isOver = true
            waiting = []
            task = nil
            body = nil
        }
        return (task, body)
    }
}

// MARK: Timeouts

extension SessionExchange {
    /// Looks after a while whether the peer has kept silent for too long.
    private func watch(after delay: Duration, _ limit: Duration) {
        let nanoseconds = Int(clamping: Int64(min(delay / .nanoseconds(1), 4e18)))
        DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
            self?.inspect(limit)
        }
    }

    private func inspect(_ limit: Duration) {
        guard let silence = silentSince, let task = state.withLock({ $0.task }) else { return }
        let rest = silence + limit - .now
        guard rest <= .zero else { return watch(after: rest, limit) }
        post(.failed(TransportFailure(.timeout(.idle))))
        task.cancel()
    }

    /// Since when the peer has kept silent; `nil` once the exchange is over.
    var silentSince: ContinuousClock.Instant? {
        state.withLock { $0.isOver ? nil : $0.silentSince }
    }
}

extension SessionExchange.State {
    /// It is not the peer's turn while nobody asks for more, or the body's source has nothing.
    fileprivate var silentSince: ContinuousClock.Instant {
        guard waiting.isEmpty else { return .now }
        return max(lastActivity, body?.waitEnd ?? lastActivity)
    }
}

extension ContinuousClock.Instant {
    fileprivate static func + (instant: Self, duration: Duration) -> Self { instant.advanced(by: duration) }
    fileprivate static func - (end: Self, start: Self) -> Duration { start.duration(to: end) }
}
