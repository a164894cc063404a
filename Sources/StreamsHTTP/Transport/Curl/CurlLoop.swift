import CLibcurl

/// The state of an engine and what one turn of it does.
struct CurlLoop: ~Copyable {
    /// What became of a start on a caller's thread.
    enum Start {
        /// The transfer is under way, and the engine's thread has nothing to see yet.
        case quiet
        /// It is under way, and the thread has something to see.
        case news
        /// It has to be started on the engine's thread.
        case impossible
    }

    private let configuration: CurlTransport.Configuration
    let reactor: CurlReactor
    private let handles: CurlHandles
    private var multi: OpaquePointer?
    private var transfers: [CurlTransfer] = []
    /// How many connections libcurl keeps where nobody has said how many.
    private var room = 0
    private var now = ContinuousClock.now
    private var lastUse = ContinuousClock.now
    /// When to look for silent peers next.
    private var nextInspection: ContinuousClock.Instant?
    private var promptness: CurlPromptness

    init(_ configuration: CurlTransport.Configuration, reactor: CurlReactor) {
        self.configuration = configuration
        self.reactor = reactor
        promptness = CurlPromptness(limit: configuration.maxCallerWait / 4)
        handles = CurlHandles(reactor, maxIdleTime: configuration.maxIdleTime)
    }

    /// Whether there is nothing to wait for.
    var isIdle: Bool { transfers.isEmpty }

    /// Whether libcurl does not want to be called either.
    var isQuiet: Bool { isIdle && !reactor.isTimed }

    /// One turn: takes in commands, lets libcurl work, and delivers what came of it.
    mutating func run(_ commands: [CurlEngine.Command]) {
        now = .now
        for command in commands { perform(command) }
        _ = actOnTimer()
        readMessages()
        for transfer in reactor.takeReady() {
            transfer.deliver()
            if transfer.settle(now: now) { scheduleInspection(of: transfer) }
        }
        inspect()
        if !transfers.isEmpty {
            lastUse = now
        } else if now - lastUse >= configuration.maxIdleTime {
            // All of them: libcurl looks at idle connections only when it wants one, and peers that close meanwhile would
            // leave half-closed sockets behind.
            closeConnections()
        }
    }

    /// For how many milliseconds whoever has the loop may wait; a negative number is without limit.
    ///
    /// - Parameter limit: When the wait must end in any case; `nil` for never.
    mutating func patience(until limit: ContinuousClock.Instant? = nil) -> CInt {
        now = .now
        let own = isIdle ? multi.map { _ in lastUse + configuration.maxIdleTime } : nextInspection
        let deadline = own.map { min($0, limit ?? $0) } ?? limit
        return reactor.end(before: deadline, now: now).map { CInt(max($0 - now, .zero).milliseconds) } ?? -1
    }

    /// Lets libcurl see to the sockets that a wait found ready.
    ///
    /// - Parameter count: The number of events.
    /// - Returns: Whether another thread wants attention.
    func act(onEvents count: Int) -> Bool {
        reactor.forEachEvent(count) { descriptor, readiness in Self.act(multi, descriptor, readiness) }
    }

    /// Starts a transfer in place of the engine's thread, if nothing else is under way and a handle is there. Nobody is told
    /// anything.
    mutating func startByCaller(_ transfer: CurlTransfer) -> Start {
        now = .now
        guard let multi, transfers.isEmpty else { return .impossible }
        do throws(TransportFailure) {
            guard try add(transfer, to: multi, makesHandle: false) else { return .impossible }
        } catch {
            // The engine's thread fails in the same way, and tells of it.
            transfer.dispose()
            return .impossible
        }
        let running = actOnTimer()
        if transfer.settle(now: now) { scheduleInspection(of: transfer) }
        return running < transfers.count || transfer.hasNews ? .news : .quiet
    }

    /// Whether a caller is to wait for its transfer, which is alone.
    mutating func expectsAnswerAtOnce() -> Bool {
        promptness.shallWait()
    }

    /// A caller has waited for too long, or was called away.
    mutating func stopAttending() {
        promptness.disappoint()
    }

    mutating func end() {
        closeConnections()
    }

    /// Calls libcurl if it wants to be called by now: it does where a transfer has been started or resumed.
    ///
    /// - Returns: How many transfers are not over.
    private func actOnTimer() -> Int {
        guard let multi, reactor.takeDueTimer(now: now) else { return transfers.count }
        let running = Self.act(multi, CInt(CurlSocketTimeout), 0)
        // It tells of its next timer only where that is another one: one that we were a moment too early for is not.
        var milliseconds = -1
        curl_multi_timeout(multi, &milliseconds)
        reactor.setTimer(milliseconds: milliseconds)
        return running
    }

    /// - Returns: How many transfers are not over.
    @discardableResult
    private static func act(_ multi: OpaquePointer?, _ descriptor: CInt, _ readiness: CInt) -> Int {
        guard let multi else { return 0 }
        var running: CInt = 0
        // Its only failures are handles that do not exist and calls from inside its callbacks.
        curl_multi_socket_action(multi, descriptor, readiness, &running)
        return Int(running)
    }

    private mutating func closeConnections() {
        handles.discardSpares()
        if let multi { curl_multi_cleanup(multi) }
        multi = nil
    }

    private mutating func perform(_ command: CurlEngine.Command) {
        switch command {
        case .start(let transfer):
            start(transfer)
        case .abort(let transfer):
            abort(transfer)
        case .resumeReceiving(let transfer):
            transfer.resumeReceiving(now: now)
        case .resumeSending(let transfer):
            transfer.resumeSending(now: now)
        }
    }

    private mutating func start(_ transfer: CurlTransfer) {
        guard !transfer.isAborted else { return }
        do throws(TransportFailure) {
            _ = try add(transfer, to: runningMulti(), makesHandle: true)
        } catch {
            transfer.dispose()
            transfer.end(.failed(error))
        }
    }

    /// - Parameter makesHandle: Whether a handle is made where none is to be had.
    /// - Returns: Whether there is a handle.
    private mutating func add(
        _ transfer: CurlTransfer, to multi: OpaquePointer, makesHandle: Bool
    ) throws(TransportFailure) -> Bool {
        guard let easy = try transfer.prepare(handles, reactor, makesHandle: makesHandle) else { return false }
        let code = curl_multi_add_handle(multi, easy)
        if code != 0 { throw TransportFailure(curlMulti: code) }
        promptness.begin(beside: transfers.count, now: now)
        lastUse = now
        transfer.place = transfers.count
        transfers.append(transfer)
        makeRoom(multi)
        return true
    }

    private mutating func runningMulti() throws(TransportFailure) -> OpaquePointer {
        if let multi { return multi }
        guard let made = curl_multi_init() else { throw TransportFailure(system: ENOMEM) }
        let context = Unmanaged.passUnretained(reactor).toOpaque()
        let code = streams_curl_multi_set_callbacks(made, &CurlReactor.callbacks, context)
        guard code == 0 else { throw TransportFailure(curlMulti: code) }
        if let limit = configuration.maxConnectionsPerHost {
            streams_curl_multi_set_long(made, CurlMultiOptionMaxHostConnections, limit)
        }
        if let limit = configuration.maxIdleConnections {
            // None would be libcurl's own choice.
            streams_curl_multi_set_long(made, CurlMultiOptionMaxIdleConnections, max(limit, 1))
        }
        room = 0
        multi = made
        return made
    }

    /// Has connections kept for as many exchanges as there have been at once. libcurl's own measure is the exchanges of
    /// the moment: where many end together, it would close most of the connections that the next ones need.
    private mutating func makeRoom(_ multi: OpaquePointer) {
        guard configuration.maxIdleConnections == nil, transfers.count * 4 > room else { return }
        room = transfers.count * 8
        streams_curl_multi_set_long(multi, CurlMultiOptionMaxIdleConnections, room)
    }

    private mutating func abort(_ transfer: CurlTransfer) {
        guard !transfer.isAborted else { return }
        transfer.abort()
        _ = removeIfPossible(transfer)
    }

    /// Removes a transfer, or leaves it to end by itself.
    ///
    /// - Returns: What it has cost, where it is removed and somebody wants to know.
    private mutating func removeIfPossible(_ transfer: CurlTransfer) -> ExchangeMetrics? {
        transfer.isRemovable ? remove(transfer) : nil
    }

    /// - Parameter isSound: Whether the handle may be used again.
    /// - Returns: What the transfer has cost, where somebody wants to know.
    private mutating func remove(_ transfer: CurlTransfer, isSound: Bool = false) -> ExchangeMetrics? {
        guard let place = transfer.place, let multi, let easy = transfer.easy else { return nil }
        let metrics = transfer.measured()
        transfer.discardBacklog()
        curl_multi_remove_handle(multi, easy)
        lastUse = now
        transfers.swapAt(place, transfers.count - 1)
        transfers[place].place = place
        transfers.removeLast()
        transfer.place = nil
        transfer.dispose(to: isSound ? handles : nil)
        return metrics
    }

    private mutating func readMessages() {
        var left: CInt = 0
        while let multi, let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.kind == CInt(CurlMessageDone), let easy = message.pointee.easy else { continue }
            let code = message.pointee.data.result
            guard let transfer = CurlTransfer.owner(of: easy) else { continue }
            let outcome = transfer.outcome(code)
            let metrics = remove(transfer, isSound: code == 0)
            if code == 0 { promptness.end(now: now) }
            transfer.end(outcome, metrics: metrics)
        }
    }

    private mutating func scheduleInspection(of transfer: CurlTransfer) {
        guard let deadline = transfer.deadline(now: now)?.at else { return }
        nextInspection = min(nextInspection ?? deadline, deadline)
    }

    /// Ends the transfers whose peers have taken too long.
    private mutating func inspect() {
        guard let due = nextInspection, due <= now else { return }
        nextInspection = nil
        for transfer in transfers {
            guard let deadline = transfer.deadline(now: now) else { continue }
            if deadline.at <= now {
                let metrics = removeIfPossible(transfer)
                transfer.end(.failed(TransportFailure(.timeout(deadline.timeout))), metrics: metrics)
            } else {
                nextInspection = min(nextInspection ?? deadline.at, deadline.at)
            }
        }
    }
}

extension Duration {
    /// In milliseconds, rounded up so that a timer is never early, within what libcurl's numbers can hold.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max / 1000) else { return Int(Int32.max) }
        return max(Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000), 0)
    }
}
