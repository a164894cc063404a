import CLibcurl

/// The state of an engine, and the work of one iteration. Only the engine's thread uses it.
struct TransportLoop: ~Copyable {
    private let configuration: CurlTransport.Configuration
    let poller: SocketPoller
    private let handlePool: HandlePool
    private let lookups: NameLookups
    private var descriptorQueue = DescriptorQueue()
    private var pollProgress = PollProgress()
    private var multi: OpaquePointer?
    private var transfers: [CurlTransfer] = []
    /// The number of transfers that have been added to libcurl's. The others wait for a lookup or a descriptor.
    private var addedCount = 0
    /// The transfers that deliver in this iteration; empty between iterations.
    private var deliveringTransfers: [CurlTransfer] = []
    /// The number of connections that libcurl keeps if the configuration sets none.
    private var connectionCacheSize = 0
    private var isRetired = false
    private var now = ContinuousClock.now
    private var lastUse = ContinuousClock.now
    /// The expected end of the current wait for events.
    private var expectedWake = ContinuousClock.now
    /// The time to look for silent peers next.
    private var nextInspection: ContinuousClock.Instant?

    init(_ configuration: CurlTransport.Configuration, poller: SocketPoller) {
        self.configuration = configuration
        self.poller = poller
        lookups = NameLookups(reserve: configuration.reservedDescriptors)
        handlePool = HandlePool(poller, configuration)
    }

    /// Whether the transport has been released and no transfer is left.
    var isOver: Bool { isRetired && transfers.isEmpty }

    /// Runs one iteration: executes commands, passes ready sockets to libcurl, and delivers the results.
    ///
    /// - Parameters:
    ///   - eventCount: The number of the poller's events.
    ///   - commands: The commands to execute, in order.
    mutating func run(eventCount: Int, _ commands: [TransportEngine.Command]) {
        pollProgress.record(
            start: now, events: eventCount, capacity: SocketPoller.capacity, socketCount: poller.socketCount)
        now = .now
        if now - expectedWake > RateCheck.tolerance {
            for transfer in transfers { transfer.restartRate(now: now) }
        }
        // Before all that could start a waiting transfer.
        for case .abort(let transfer) in commands { abort(transfer) }
        // Before new transfers, which would take the descriptors that others wait for.
        startWaiting()
        for command in commands { execute(command) }
        poller.endWritePauses(now: now)
        poller.forEachEvent(eventCount, now: now) { [multi] descriptor, readiness in
            Self.act(multi, descriptor, readiness)
        }
        actOnTimer()
        readMessages()
        deliver()
        inspect()
        if !transfers.isEmpty {
            lastUse = now
        } else if now - lastUse >= configuration.maxIdleTime {
            // libcurl closes idle connections only when it needs one: until then, those that peers close would stay
            // half-closed.
            closeConnections()
        }
    }

    /// Returns the longest time to wait for events in milliseconds, or a negative number if there is no limit.
    mutating func timeout() -> CInt {
        now = .now
        if lookups.isReady { return wait(until: now) }
        let deadline = transfers.isEmpty ? multi.map { _ in lastUse + configuration.maxIdleTime } : nextInspection
        let attempt = descriptorQueue.deadline(now: now)
        let earliest = deadline.map { min($0, attempt ?? $0) } ?? attempt
        return wait(until: poller.deadline(before: earliest, now: now))
    }

    private mutating func wait(until deadline: ContinuousClock.Instant?) -> CInt {
        expectedWake = deadline.map { max($0, now) } ?? now + .seconds(86_400 * 365)
        return deadline.map { CInt(max($0 - now, .zero).milliseconds) } ?? -1
    }

    /// Closes all connections. No transfer may be left.
    mutating func closeConnections() {
        handlePool.removeAll()
        // Transfers that ended while they waited keep the engine.
        lookups.removeAll()
        descriptorQueue = DescriptorQueue()
        if let multi { curl_multi_cleanup(multi) }
        multi = nil
    }

    private mutating func execute(_ command: TransportEngine.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .abort(let transfer): abort(transfer)
        case .resumeReceiving(let transfer): transfer.resumeReceiving(now: now)
        case .resumeSending(let transfer): transfer.resumeSending(now: now)
        case .retire: isRetired = true
        }
    }

    private mutating func start(_ transfer: CurlTransfer) {
        guard !transfer.isAborted else { return }
        do throws(TransportFailure) {
            try add(transfer, to: runningMulti())
        } catch {
            transfer.dispose()
            transfer.end(.failed(error))
        }
    }

    private mutating func add(_ transfer: CurlTransfer, to multi: OpaquePointer) throws(TransportFailure) {
        let easy = try transfer.prepare(handlePool, poller, lookups)
        let code = curl_multi_add_handle(multi, easy)
        if code != 0 { throw TransportFailure(curlMulti: code) }
        transfer.isAdded = true
        addedCount += 1
        transfer.index = transfers.count
        transfers.append(transfer)
        growConnectionCache(multi)
    }

    private mutating func runningMulti() throws(TransportFailure) -> OpaquePointer {
        if let multi { return multi }
        let inherits = CurlRuntime.current.letsDescriptorsBeInherited
        guard let created = inherits ? streams_curl_multi_init() : curl_multi_init() else {
            throw TransportFailure(system: ENOMEM)
        }
        let context = Unmanaged.passUnretained(poller).toOpaque()
        let code = streams_curl_multi_set_callbacks(created, &SocketPoller.callbacks, context)
        guard code == 0 else { throw TransportFailure(curlMulti: code) }
        if let limit = configuration.maxConnectionsPerHost {
            streams_curl_multi_set_long(created, CurlMultiOptionMaxHostConnections, limit)
        }
        if let limit = configuration.maxIdleConnections {
            // Zero would select libcurl's default.
            streams_curl_multi_set_long(created, CurlMultiOptionMaxIdleConnections, max(limit, 1))
        }
        if !CurlRuntime.current.multiplexesOnlyHTTP2 {
            streams_curl_multi_set_long(created, CurlMultiOptionMultiplexing, 0)
        }
        connectionCacheSize = 0
        multi = created
        return created
    }

    /// Sizes the connection cache by the highest number of concurrent transfers. libcurl's default follows the current
    /// number: when many transfers end together, it would close most of the connections that the next ones need.
    private mutating func growConnectionCache(_ multi: OpaquePointer) {
        guard configuration.maxIdleConnections == nil, transfers.count * 4 > connectionCacheSize else { return }
        connectionCacheSize = transfers.count * 8
        streams_curl_multi_set_long(multi, CurlMultiOptionMaxIdleConnections, connectionCacheSize)
    }

    private mutating func abort(_ transfer: CurlTransfer) {
        guard !transfer.isAborted else { return }
        transfer.abort()
        _ = removeIfPossible(transfer)
    }

    /// Removes a transfer, unless its name is being resolved: then it ends by itself.
    ///
    /// - Returns: The metrics, if the transfer is removed and they are wanted.
    private mutating func removeIfPossible(_ transfer: CurlTransfer) -> ExchangeMetrics? {
        transfer.isRemovable ? remove(transfer) : nil
    }

    /// Removes a transfer.
    ///
    /// - Parameter isReusable: Whether the handle can be used again.
    /// - Returns: The metrics, if they are wanted.
    private mutating func remove(_ transfer: CurlTransfer, isReusable: Bool = false) -> ExchangeMetrics? {
        guard let index = transfer.index, let multi, let easy = transfer.easy else { return nil }
        let metrics = transfer.measured()
        transfer.discardBacklog()
        if detach(transfer, from: multi, easy) { descriptorQueue.noteEnd(now: now) }
        transfer.connecting.endLookup()
        lastUse = now
        transfers.swapAt(index, transfers.count - 1)
        transfers[index].index = index
        transfers.removeLast()
        transfer.index = nil
        transfer.dispose(to: isReusable ? handlePool : nil)
        return metrics
    }
}

// MARK: Transfers that wait

extension TransportLoop {
    /// Removes a transfer's handle from libcurl's.
    ///
    /// - Returns: Whether it was one of them.
    @discardableResult
    private mutating func detach(_ transfer: CurlTransfer, from multi: OpaquePointer, _ easy: OpaquePointer) -> Bool {
        guard transfer.isAdded else { return false }
        curl_multi_remove_handle(multi, easy)
        transfer.leaveConnection()
        addedCount -= 1
        return true
    }

    /// Keeps a transfer that has failed because it was refused a lookup or a descriptor, until there is one, and starts
    /// one again whose connection had been closed.
    ///
    /// - Returns: Whether it goes on.
    private mutating func hold(_ transfer: CurlTransfer) -> Bool {
        guard let multi, let easy = transfer.easy, let shortage = transfer.takeShortage(now: now) else { return false }
        detach(transfer, from: multi, easy)
        transfer.connecting.endLookup()
        switch shortage {
        case .lookup: lookups.hold(transfer)
        case .descriptor: descriptorQueue.append(transfer, now: now)
        case .openConnection: restart(transfer)
        }
        return true
    }

    /// Starts the transfers again whose turn has come.
    private mutating func startWaiting() {
        let attempt = descriptorQueue.attempt(
            now: now, idleCount: poller.socketCount - addedCount, isAlone: addedCount == 0
        ) { [poller] in poller.hasRoom }
        if let attempt {
            for transfer in attempt.transfers { restart(transfer) }
            if attempt.replacesIdle { replaceIdleConnections() }
        }
        for transfer in lookups.takeReleased() { restart(transfer) }
    }

    /// Lets the transfers that have been started again connect in place of idle connections.
    ///
    /// libcurl closes the oldest idle connection for a new one if their total number is limited. If none is left, it
    /// puts the transfer off until another one ends, so the limit must not apply to other transfers.
    private func replaceIdleConnections() {
        guard let multi else { return }
        streams_curl_multi_set_long(multi, CurlMultiOptionMaxTotalConnections, max(poller.socketCount, 1))
        actOnTimer()
        streams_curl_multi_set_long(multi, CurlMultiOptionMaxTotalConnections, 0)
    }

    private mutating func restart(_ transfer: CurlTransfer) {
        guard let multi, let easy = transfer.easy, transfer.index != nil, !transfer.isAdded else { return }
        do throws(TransportFailure) {
            if transfer.connecting.needsNewConnection { try CurlConfiguration(easy: easy).requireNewConnection() }
            let code = curl_multi_add_handle(multi, easy)
            guard code == 0 else { throw TransportFailure(curlMulti: code) }
            transfer.isAdded = true
            addedCount += 1
        } catch {
            let metrics = remove(transfer)
            transfer.end(.failed(error), metrics: metrics)
        }
    }

    private mutating func fail(_ transfers: [CurlTransfer], _ event: TransportEvent) {
        for transfer in transfers where transfer.index != nil {
            let metrics = remove(transfer)
            transfer.end(event, metrics: metrics)
        }
    }
}

// MARK: libcurl

extension TransportLoop {
    private static func act(_ multi: OpaquePointer?, _ descriptor: CInt, _ readiness: CInt) {
        guard let multi else { return }
        var running: CInt = 0
        // It fails only for an unknown multi handle, and for a call from inside a callback.
        curl_multi_socket_action(multi, descriptor, readiness, &running)
    }

    /// Calls libcurl if its timer is due, as it is after a transfer has been started or resumed.
    private func actOnTimer() {
        guard let multi, poller.takeDueTimer(now: now) else { return }
        Self.act(multi, CInt(CurlSocketTimeout), 0)
        // libcurl does not report a timer again that it has reported before, not even if it was called too early for
        // it.
        var milliseconds = -1
        curl_multi_timeout(multi, &milliseconds)
        poller.setTimer(milliseconds: milliseconds)
    }

    /// Ends the transfers that libcurl has completed.
    private mutating func readMessages() {
        var remaining: CInt = 0
        while let multi, let message = curl_multi_info_read(multi, &remaining) {
            guard message.pointee.kind == CInt(CurlMessageDone), let easy = message.pointee.easy else { continue }
            let code = message.pointee.data.result
            guard let transfer = CurlHandle.transfer(of: easy) else { continue }
            if code != 0, hold(transfer) { continue }
            let outcome = transfer.outcome(code)
            if case .failed(let failure) = outcome, failure.isLookupFailure {
                fail(transfer.connecting.endFailedLookup(), outcome)
            }
            let metrics = remove(transfer, isReusable: code == 0)
            transfer.end(outcome, metrics: metrics)
        }
    }

    /// Delivers the progress, heads and chunks of the transfers that are not over.
    private mutating func deliver() {
        poller.takeReady(into: &deliveringTransfers)
        for transfer in deliveringTransfers {
            transfer.deliver()
            if transfer.settle(now: now) { scheduleInspection(of: transfer) }
        }
        deliveringTransfers.removeAll(keepingCapacity: true)
    }
}

// MARK: Timeouts

extension TransportLoop {
    private mutating func scheduleInspection(of transfer: CurlTransfer) {
        guard let deadline = transfer.deadline(now: now)?.at else { return }
        nextInspection = min(nextInspection ?? deadline, deadline)
    }

    /// Ends the transfers that have timed out.
    private mutating func inspect() {
        fail(descriptorQueue.takeExpired(now: now), .failed(.resourceExhausted))
        let time = pollProgress.time
        guard let due = nextInspection, due <= time else { return }
        nextInspection = nil
        for transfer in transfers {
            transfer.judgeRate(now: time)
            guard let deadline = transfer.deadline(now: now) else { continue }
            if deadline.at <= time {
                let metrics = removeIfPossible(transfer)
                transfer.end(.failed(TransportFailure(.timeout(deadline.timeout))), metrics: metrics)
            } else {
                nextInspection = min(nextInspection ?? deadline.at, deadline.at)
            }
        }
    }
}

extension Duration {
    /// The duration in milliseconds, rounded up so that a timer is never early, within the range of libcurl's numbers.
    var milliseconds: Int {
        let (seconds, attoseconds) = components
        guard seconds < Int64(Int32.max / 1000) else { return Int(Int32.max) }
        return max(Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000), 0)
    }
}
