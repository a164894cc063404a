/// Plays steps to a receiver: in order, one at a time, as far as there is room, until it is aborted.
///
/// One thread at a time plays; which one, changes with every pause. Whoever ends a pause plays on.
// Safe because all that changes is behind the lock, and what is the user's is called and let go of outside of it.
final class PlayedExchange: TransportExchange, @unchecked Sendable {
    /// What the next step waits for.
    fileprivate enum Pause {
        case start
        case time
        case room
        case body
        case never
    }

    private enum Action {
        case deliver(TransportEvent)
        case readBody(telling: Bool)
        case decide(@Sendable (Data) -> [ExchangeStep], Data)
        case wait(Duration, thenFail: HTTPError.Timeout?, number: Int)
    }

    fileprivate struct State {
        var steps: [ExchangeStep]
        var next = 0
        var room: Int
        /// `nil` while a thread plays.
        var pause: Pause? = .start
        var isBodyReadable = false
        var body = Data()
        var source: (any BodySource)?
        /// What reads the body, while no thread does.
        var reader: BodyReader?
        /// How many times time has been waited for.
        var waits = 0
        /// What ends the last of these waits.
        var alarm: (any Cancellable & Sendable)?
        var isOver = false
    }

    private let request: TransportRequest
    private let receiver: any TransportReceiver
    private let clock: PlayClock
    private let onBody: (@Sendable (Data) -> Void)?
    private let state: Locked<State>

    /// - Parameter onBody: Called with the request's body when it has been read.
    private init(
        _ steps: [ExchangeStep], of request: TransportRequest, to receiver: any TransportReceiver, clock: PlayClock,
        onBody: (@Sendable (Data) -> Void)?
    ) {
        self.request = request
        self.receiver = receiver
        self.clock = clock
        self.onBody = onBody
        state = Locked(State(steps: steps, room: request.window))
    }

    /// Starts playing, on the clock's own time.
    static func start(
        _ steps: [ExchangeStep], of request: TransportRequest, to receiver: any TransportReceiver,
        clock: PlayClock, onBody: (@Sendable (Data) -> Void)? = nil
    ) -> PlayedExchange {
        let exchange = PlayedExchange(steps, of: request, to: receiver, clock: clock, onBody: onBody)
        clock.soon { exchange.resume(after: .start) }
        return exchange
    }

    func grant(_ bytes: Int) {
        state.withLock { $0.room += bytes }
        resume(after: .room)
    }

    func abort() {
        end()
    }

    /// Plays on where the pause is the one that is over.
    private func resume(after pause: Pause) {
        let isMine = state.withLock { state in
            guard state.pause == pause, !state.isOver else { return false }
            if pause == .room, state.room <= 0 { return false }
            state.pause = nil
            return true
        }
        if isMine { play() }
    }

    private func play() {
        while let action = takeAction() {
            switch action {
            case .deliver(let event): deliver(event)
            case .decide(let decide, let body):
                replaceSteps(with: decide(body))
            case .readBody(let isTelling):
                guard readBody(telling: isTelling) else { return }
            case .wait(let delay, let timeout, let number):
                return wait(delay, thenFail: timeout, number: number)
            }
        }
    }

    private func replaceSteps(with steps: [ExchangeStep]) {
        let old = state.withLock { state in
            defer {
                state.steps = steps
                state.next = 0
            }
            return state.steps
        }
        withExtendedLifetime(old) {}
    }

    private func takeAction() -> Action? {
        state.withLock { state in
            guard !state.isOver, state.next < state.steps.count else {
                state.pause = .never
                return nil
            }
            let step = state.steps[state.next]
            if case .event(.chunk) = step, state.room <= 0 {
                state.pause = .room
                return nil
            }
            state.next += 1
            switch step {
            case .event(let event):
                if case .chunk(let chunk, _) = event { state.room -= chunk.count }
                return .deliver(event)
            case .readBody(let isTelling):
                return .readBody(telling: isTelling)
            case .decide(let decide):
                return .decide(decide, state.body)
            case .wait(let delay):
                let number = state.pauseForTime()
                guard let limit = request.idleTimeout, limit < delay else {
                    return .wait(delay, thenFail: nil, number: number)
                }
                return .wait(limit, thenFail: .idle, number: number)
            case .stall(let timeout):
                guard let limit = timeout == .connect ? request.connectTimeout : request.idleTimeout else {
                    state.pause = .never
                    return nil
                }
                return .wait(limit, thenFail: timeout, number: state.pauseForTime())
            case .silence:
                state.pause = .never
                return nil
            }
        }
    }

    private func deliver(_ event: TransportEvent) {
        switch event {
        case .finished, .failed:
            guard end() else { return }
        case .metrics where !request.wantsMetrics:
            return
        case .sent, .head, .chunk, .metrics:
            break
        }
        receiver.receive(event)
    }

    /// Makes an end; the first time counts.
    @discardableResult
    private func end() -> Bool {
        // What is let go of may be the user's: not under the lock.
        let (isFirst, ended) = state.withLock { state in
            guard !state.isOver else { return (false, state) }
            defer {
                state.isOver = true
                state.steps = []
                state.next = 0
                state.source = nil
                state.reader = nil
                state.alarm = nil
            }
            return (true, state)
        }
        guard isFirst else { return false }
        ended.alarm?.cancel()
        ended.source?.cancel()
        return true
    }
}

// MARK: Waiting

extension PlayedExchange.State {
    /// - Returns: The number of the wait.
    fileprivate mutating func pauseForTime() -> Int {
        pause = .time
        waits += 1
        return waits
    }
}

extension PlayedExchange {
    private func wait(_ delay: Duration, thenFail timeout: HTTPError.Timeout?, number: Int) {
        let alarm = clock.later.schedule(delay) { [self] in
            if let timeout { deliver(.failed(TransportFailure(.timeout(timeout)))) } else { resume(after: .time) }
        }
        let (isWanted, old) = state.withLock { state in
            // It may have gone off meanwhile, and be followed by another, whose alarm is the one to keep.
            guard !state.isOver, state.waits == number else { return (!state.isOver, state.alarm) }
            defer { state.alarm = alarm }
            return (true, state.alarm)
        }
        withExtendedLifetime(old) {}
        if !isWanted { alarm.cancel() }
    }
}

// MARK: The request's body

extension PlayedExchange {
    /// Reads what there is of the body.
    ///
    /// - Returns: Whether all of it has been read; otherwise the exchange is over, or goes on when there is more.
    private func readBody(telling isTelling: Bool) -> Bool {
        do {
            let reader = try takeReader()
            while true {
                switch reader.read() {
                case .bytes:
                    if isTelling { deliver(.sent(reader.count, of: reader.length)) }
                    if state.withLock({ $0.isOver }) { return false }
                case .waiting:
                    if pauseForBody(reader) { return false }
                case .end:
                    closeBody(reader.data)
                    return true
                case .failed(let error):
                    throw error
                }
            }
        } catch {
            deliver(.failed(TransportFailure(.body(error))))
            return false
        }
    }

    private func takeReader() throws -> BodyReader {
        let paused = state.withLock { state in
            defer { state.reader = nil }
            return state.reader
        }
        if let paused { return paused }
        let source = try request.body.open { [self] in bodyIsReadable() }
        let isWanted = state.withLock { state in
            if !state.isOver { state.source = source }
            return !state.isOver
        }
        if !isWanted { source?.cancel() }
        return BodyReader(source)
    }

    private func closeBody(_ data: Data) {
        let source = state.withLock { state in
            state.body = data
            defer { state.source = nil }
            return state.source
        }
        source?.cancel()
        onBody?(data)
    }

    /// - Returns: Whether there is still nothing, so that the step is taken again when there is.
    private func pauseForBody(_ reader: BodyReader) -> Bool {
        state.withLock { state in
            guard !state.isOver else { return true }
            if state.isBodyReadable {
                state.isBodyReadable = false
                return false
            }
            state.next -= 1
            state.reader = reader
            state.pause = .body
            return true
        }
    }

    private func bodyIsReadable() {
        let isAwaited = state.withLock { state in
            state.isBodyReadable = state.pause != .body
            return state.pause == .body
        }
        if isAwaited { clock.soon { [self] in resume(after: .body) } }
    }
}
