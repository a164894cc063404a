import StreamsHTTP

/// The exchange of a request that asks for a WebSocket: the response, and, if it opens one, the peer's script.
///
/// One thread at a time runs the script, until it has to wait. The thread that ends the wait runs on, or the scheduler
/// if the wait was for the client.
final class SocketExchange: TransportReceiver, TransportExchange {
    private struct State {
        /// The exchange that delivers the response.
        var opening: ScriptedExchange?
        var peer: SocketPeer?
        /// The source of the client's frames, once the WebSocket is open.
        var source: (any HTTPBody.Source)?
        var window: Int
        /// The number of bytes that the peer has sent.
        var sentCount: Int64 = 0
        var timer: (any Cancellable & Sendable)?
        var running = SerialLoop()
        var reading = SerialLoop()
        var isOver = false

        mutating func receive(_ bytes: some Sequence<UInt8>) -> Result<[FrameReader.Item], WebSocketViolation> {
            Result { () throws(WebSocketViolation) in try peer?.receive(bytes) ?? [] }
        }

        /// Returns the next action of the peer; `nil` if it has to wait, also for the window.
        mutating func nextAction() -> SocketPeer.Action? {
            isOver || window <= 0 || source == nil ? nil : peer?.nextAction()
        }
    }

    private let request: TransportRequest
    private let receiver: any TransportReceiver
    private let scheduler: ExchangeScheduler
    private let onReceipt: @Sendable (FrameReader.Item) -> Void
    private let state: Locked<State>

    private init(
        _ request: TransportRequest, to receiver: any TransportReceiver, on scheduler: ExchangeScheduler,
        onReceipt: @escaping @Sendable (FrameReader.Item) -> Void
    ) {
        self.request = request
        self.receiver = receiver
        self.scheduler = scheduler
        self.onReceipt = onReceipt
        state = Locked(State(window: request.window))
    }

    /// Starts an exchange on the scheduler, never inside this call.
    ///
    /// - Parameters:
    ///   - request: The request to answer.
    ///   - receiver: The receiver of the events.
    ///   - scheduler: The scheduler of the exchange's start and of its timers.
    ///   - makeResponse: Creates the response. Called on the scheduler.
    ///   - onReceipt: Called with each message and control frame that the client has sent.
    static func start(
        _ request: TransportRequest, to receiver: any TransportReceiver, on scheduler: ExchangeScheduler,
        makeResponse: @escaping @Sendable () -> MockResponse, onReceipt: @escaping @Sendable (FrameReader.Item) -> Void
    ) -> SocketExchange {
        let exchange = SocketExchange(request, to: receiver, on: scheduler, onReceipt: onReceipt)
        let step = ExchangeStep.makeSteps { _ in exchange.answer(makeResponse()) }
        let opening = ScriptedExchange.start([step], of: request, to: exchange, on: scheduler)
        exchange.state.withLock { if !$0.isOver { $0.opening = opening } }
        return exchange
    }

    private func answer(_ response: MockResponse) -> [ExchangeStep] {
        if let steps = response.webSocketSteps { state.withLock { $0.peer = SocketPeer(steps) } }
        return response.steps(for: request)
    }

    func receive(_ event: TransportEvent) {
        guard state.withLock({ !$0.isOver }) else { return }
        switch event {
        case .finished, .failed: end(event)
        case .head(let head):
            receiver.receive(event)
            if head.status == .switchingProtocols { open() }
        case .connected, .sent, .chunk, .trailers, .metrics: receiver.receive(event)
        }
    }

    func allow(bytes: Int) {
        let opening = state.withLock { state in
            let (sum, isTooLarge) = state.window.addingReportingOverflow(bytes)
            state.window = isTooLarge ? .max : sum
            return state.opening
        }
        opening?.allow(bytes: bytes)
        run()
    }

    func abort() {
        end(nil)
    }

    /// Ends the exchange and releases what it holds.
    ///
    /// - Parameter event: The last event; `nil` if the receiver gets none.
    private func end(_ event: TransportEvent?) {
        let ended = state.withLock { state -> State? in
            guard !state.isOver else { return nil }
            defer { state = State(window: 0, isOver: true) }
            return state
        }
        guard let ended else { return }
        ended.opening?.abort()
        ended.timer?.cancel()
        ended.source?.cancel()
        if let event { receiver.receive(event) }
    }
}

// MARK: The script

extension SocketExchange {
    private func open() {
        do {
            let source = try request.body.open { [self] in takeFrames() }
            let isOver = state.withLock { state in
                if !state.isOver { state.source = source }
                return state.isOver
            }
            if isOver { source?.cancel() }
            takeFrames()
            run()
        } catch {
            end(.failed(TransportFailure(.thrown(error, by: .body))))
        }
    }

    private func run() {
        guard state.withLock({ $0.running.begin() }) else { return }
        repeat {
            while let action = state.withLock({ $0.nextAction() }) { perform(action) }
        } while !state.withLock { $0.running.end() }
    }

    private func perform(_ action: SocketPeer.Action) {
        switch action {
        case .send(let bytes):
            let count = state.withLock { state in
                state.window -= bytes.count
                state.sentCount += Int64(bytes.count)
                return state.sentCount
            }
            receiver.receive(.chunk(bytes, received: count))
        case .wait(let delay): startTimer(delay)
        case .answer(let answer, let message):
            let steps = answer(message)
            state.withLock { $0.peer?.insert(steps) }
        case .end(let event): end(event)
        }
    }

    private func startTimer(_ delay: Duration) {
        let timer = scheduler.schedule(after: delay) { [self] in
            state.withLock { $0.peer?.resume() }
            run()
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.timer = timer }
            return state.isOver
        }
        if isOver { timer.cancel() }
    }
}

// MARK: The client's frames

extension SocketExchange {
    /// Takes what the client sends, on the client's thread, so that its sending waits for no scheduler. The script is
    /// resumed on the scheduler.
    private func takeFrames() {
        guard state.withLock({ $0.reading.begin() }) else { return }
        repeat { readFrames() } while !state.withLock { $0.reading.end() }
        scheduler.schedule { [self] in run() }
    }

    private func readFrames() {
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while let source = state.withLock({ $0.source }),
            case .bytes(let count) = buffer.withUnsafeMutableBytes({ source.read(into: $0) })
        {
            switch state.withLock({ $0.receive(buffer[..<count]) }) {
            case .success(let items): for item in items { onReceipt(item) }
            case .failure(let violation):
                return scheduler.schedule { [self] in
                    end(.failed(TransportFailure(.thrown(violation, by: .transport))))
                }
            }
        }
    }
}

/// A loop that is run by one thread at a time, and again if something has happened meanwhile.
private struct SerialLoop {
    private var isRunning = false
    private var mustRunAgain = false

    /// - Returns: Whether no thread is running it. Otherwise that one runs it again.
    mutating func begin() -> Bool {
        defer { (isRunning, mustRunAgain) = (true, isRunning) }
        return !isRunning
    }

    /// - Returns: Whether it is over.
    mutating func end() -> Bool {
        defer { (isRunning, mustRunAgain) = (mustRunAgain, false) }
        return !mustRunAgain
    }
}
