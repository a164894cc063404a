import StreamsHTTP

/// An exchange that runs the steps of a script: serially, under demand, until it is aborted.
///
/// One thread at a time runs steps, until a step has to wait. The thread that ends the wait runs the next steps.
final class ScriptedExchange: TransportExchange {
    /// The condition that the next step waits for.
    fileprivate enum Wait: Equatable {
        case start
        case timer(Int)
        case window
        case body
        case never
    }

    fileprivate enum Action {
        case deliver(TransportEvent)
        case readBody(reportsProgress: Bool)
        case makeSteps(@Sendable (Data) -> [ExchangeStep], Data)
        case startTimer(Wait, Duration, failure: HTTPError.Timeout?)
    }

    fileprivate struct State {
        var steps: [ExchangeStep]
        var next = 0
        var window: Int
        /// The condition that is waited for; `nil` while a thread runs steps.
        var wait: Wait? = .start
        var timer: (any Cancellable & Sendable)?
        var timerCount = 0
        /// The reader of a body that has not been read to its end.
        var reader: BodyReader?
        var isBodyReadable = false
        var body = Data()
        var isOver = false
    }

    private let request: TransportRequest
    private let receiver: any TransportReceiver
    private let scheduler: ExchangeScheduler
    private let onBody: (@Sendable (Data) -> Void)?
    private let state: Locked<State>

    private init(
        _ steps: [ExchangeStep], of request: TransportRequest, to receiver: any TransportReceiver,
        on scheduler: ExchangeScheduler, onBody: (@Sendable (Data) -> Void)?
    ) {
        self.request = request
        self.receiver = receiver
        self.scheduler = scheduler
        self.onBody = onBody
        state = Locked(State(steps: steps, window: request.window))
    }

    /// Starts an exchange on the scheduler, never inside this call.
    ///
    /// - Parameters:
    ///   - steps: The script.
    ///   - request: The request to answer.
    ///   - receiver: The receiver of the events.
    ///   - scheduler: The scheduler of the exchange's start and of its timers.
    ///   - onBody: Called with the request's body when all of it has been read.
    static func start(
        _ steps: [ExchangeStep], of request: TransportRequest, to receiver: any TransportReceiver,
        on scheduler: ExchangeScheduler, onBody: (@Sendable (Data) -> Void)? = nil
    ) -> ScriptedExchange {
        let exchange = ScriptedExchange(steps, of: request, to: receiver, on: scheduler, onBody: onBody)
        scheduler.schedule { exchange.resume(after: .start) }
        return exchange
    }

    func allow(bytes: Int) {
        state.withLock { state in
            let (sum, isTooLarge) = state.window.addingReportingOverflow(bytes)
            state.window = isTooLarge ? .max : sum
        }
        resume(after: .window)
    }

    func abort() {
        end()
    }

    /// Runs the next steps if they wait for this condition.
    private func resume(after wait: Wait) {
        let isResumed = state.withLock { state in
            guard !state.isOver, state.wait == wait, wait != .window || state.window > 0 else { return false }
            state.wait = nil
            return true
        }
        if isResumed { run() }
    }

    private func run() {
        while let action = state.withLock({ $0.nextAction(for: request) }) {
            switch action {
            case .deliver(let event):
                deliver(event)
            case .makeSteps(let makeSteps, let body):
                replaceSteps(with: makeSteps(body))
            case .readBody(let reportsProgress):
                guard readBody(reportingProgress: reportsProgress) else { return }
            case .startTimer(let wait, let delay, let failure):
                return startTimer(wait, delay, failure: failure)
            }
        }
    }

    private func replaceSteps(with steps: [ExchangeStep]) {
        let old = state.withLock { state in
            guard !state.isOver else { return steps }
            defer { (state.steps, state.next) = (steps, 0) }
            return state.steps
        }
        withExtendedLifetime(old) {}
    }

    private func deliver(_ event: TransportEvent) {
        switch event {
        case .finished, .failed:
            guard end() else { return }
        case .connected where !request.wantsMetrics, .metrics where !request.wantsMetrics:
            return
        case .connected, .sent, .head, .chunk, .trailers, .metrics:
            break
        }
        receiver.receive(event)
    }

    /// Ends the exchange and releases what it holds.
    ///
    /// - Returns: Whether the exchange was not over before.
    @discardableResult
    private func end() -> Bool {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            defer { state = State(steps: [], window: 0, isOver: true) }
            return state
        }
        ended?.timer?.cancel()
        ended?.reader?.cancel()
        return ended != nil
    }
}

// MARK: Steps

extension ScriptedExchange.State {
    /// Returns the action of the next step; `nil` if the step has to wait or there is none.
    fileprivate mutating func nextAction(for request: TransportRequest) -> ScriptedExchange.Action? {
        guard !isOver, next < steps.count else { return suspend(until: .never) }
        let step = steps[next]
        if case .event(.chunk) = step, window <= 0 { return suspend(until: .window) }
        next += 1
        switch step {
        case .event(let event):
            if case .chunk(let chunk, _) = event { window -= chunk.count }
            return .deliver(event)
        case .readBody(let reportsProgress):
            return .readBody(reportsProgress: reportsProgress)
        case .makeSteps(let makeSteps):
            return .makeSteps(makeSteps, body)
        case .delay(let delay):
            guard let limit = request.idleTimeout, limit < delay else { return startTimer(delay) }
            return startTimer(limit, failure: .idle)
        case .stall(let timeout):
            let limit =
                switch timeout {
                case .connect: request.connectTimeout
                case .idle: request.idleTimeout
                default: Duration?.none
                }
            guard let limit else { return suspend(until: .never) }
            return startTimer(limit, failure: timeout)
        }
    }

    private mutating func suspend(until wait: ScriptedExchange.Wait) -> ScriptedExchange.Action? {
        self.wait = wait
        return nil
    }

    private mutating func startTimer(
        _ delay: Duration, failure: HTTPError.Timeout? = nil
    ) -> ScriptedExchange.Action {
        timerCount += 1
        let timer = ScriptedExchange.Wait.timer(timerCount)
        wait = timer
        return .startTimer(timer, delay, failure: failure)
    }
}

extension ScriptedExchange {
    private func startTimer(_ wait: Wait, _ delay: Duration, failure: HTTPError.Timeout?) {
        let timer = scheduler.schedule(after: delay) { [self] in
            if let failure { deliver(.failed(TransportFailure(.timeout(failure)))) } else { resume(after: wait) }
        }
        // A scheduler may fire the timer inside the call. The exchange may then wait for another timer already.
        let unused = state.withLock { state -> (any Cancellable & Sendable)? in
            guard state.wait == wait else { return timer }
            defer { state.timer = timer }
            return state.timer
        }
        unused?.cancel()
    }
}

// MARK: The request's body

extension ScriptedExchange {
    /// Reads the available bytes of the body.
    ///
    /// - Returns: Whether the body has been read to its end. Otherwise the exchange is over, or it reads on when there
    ///   are more bytes.
    private func readBody(reportingProgress reportsProgress: Bool) -> Bool {
        do {
            let reader = try state.withLock({ $0.reader }) ?? openBody()
            while true {
                switch reader.read() {
                case .bytes:
                    if reportsProgress { deliver(.sent(reader.count, of: reader.length)) }
                    if state.withLock({ $0.isOver }) { return false }
                case .waiting:
                    if suspendUntilBodyIsReadable() { return false }
                case .end:
                    finishBody(reader)
                    return true
                case .failed(let error):
                    throw error
                }
            }
        } catch {
            deliver(.failed(TransportFailure(.thrown(error, by: .body))))
            return false
        }
    }

    private func openBody() throws -> BodyReader {
        let reader = BodyReader(try request.body.open { [self] in bodyIsReadable() })
        let isOver = state.withLock { state in
            if !state.isOver { state.reader = reader }
            return state.isOver
        }
        if isOver { reader.cancel() }
        return reader
    }

    private func finishBody(_ reader: BodyReader) {
        state.withLock { state in
            state.body = reader.data
            state.reader = nil
        }
        reader.cancel()
        onBody?(reader.data)
    }

    /// - Returns: Whether the exchange has to wait, so that the step is repeated later.
    private func suspendUntilBodyIsReadable() -> Bool {
        state.withLock { state in
            guard !state.isOver else { return true }
            guard !state.isBodyReadable else {
                state.isBodyReadable = false
                return false
            }
            state.next -= 1
            state.wait = .body
            return true
        }
    }

    private func bodyIsReadable() {
        let isAwaited = state.withLock { state in
            state.isBodyReadable = state.wait != .body
            return state.wait == .body
        }
        if isAwaited { scheduler.schedule { [self] in resume(after: .body) } }
    }
}
