#if canImport(CLibcurl)
import CLibcurl

/// The state of an engine, and the work of one iteration. Only the engine's thread uses it.
struct TransportLoop: ~Copyable {
    private let configuration: CurlTransport.Configuration
    let poller: SocketPoller
    private let handlePool: HandlePool
    private let lookups: NameLookups
    private let coordinator: ExchangeCoordinator
    private var descriptorQueue = DescriptorQueue()
    private var pollProgress = PollProgress()
    /// The multi handle of the exchanges that libcurl performs.
    private var exchangeMulti: MultiHandle?
    /// The multi handles that open connections, and keep those with TLS.
    private var connectionMultis: [MultiHandle] = []
    private var transfers: [CurlTransfer] = []
    /// The number of transfers that have been added to libcurl's. The others wait for a lookup or a descriptor.
    private var addedCount = 0
    /// The transfers that deliver in this iteration; empty between iterations.
    private var deliveringTransfers: [CurlTransfer] = []
    /// The number of connections that libcurl keeps if the configuration sets none.
    private var connectionCacheSize = 0
    private var isRetired = false
    private var now = MonotonicTime.now
    private var lastUse = MonotonicTime.now
    /// The expected end of the current wait for events.
    private var expectedWake = MonotonicTime.now
    /// The time to look for silent peers next.
    private var nextInspection: MonotonicTime?

    init(_ configuration: CurlTransport.Configuration, poller: SocketPoller) {
        self.configuration = configuration
        self.poller = poller
        lookups = NameLookups(reserve: configuration.reservedDescriptors)
        handlePool = HandlePool(poller, configuration)
        coordinator = ExchangeCoordinator(configuration, poller: poller)
    }

    /// Whether the transport has been released and no exchange is left.
    var isOver: Bool { isRetired && isEmpty }

    private var isEmpty: Bool { transfers.isEmpty && coordinator.isEmpty }

    /// Runs one iteration: executes commands in order, handles ready sockets, and delivers the results.
    mutating func run(eventCount: Int, _ commands: [TransportEngine.Command]) {
        pollProgress.record(
            start: now, events: eventCount, capacity: SocketPoller.capacity, socketCount: poller.socketCount)
        now = .now
        if now - expectedWake > RateCheck.tolerance {
            for transfer in transfers { transfer.restartRate(now: now) }
            coordinator.restartRates(now: now)
        }
        // Before all that could start a waiting transfer.
        for case .abort(let exchange) in commands { abort(exchange) }
        // Before new transfers, which would take the descriptors that others wait for.
        startWaiting()
        for command in commands { execute(command) }
        poller.endWritePauses(now: now)
        poller.forEachEvent(eventCount, now: now) { [coordinator, now] event in
            switch event {
            case .transfers(let multi, let descriptor, let readiness): multi.act(descriptor, readiness)
            case .connection(let connection, let readiness):
                coordinator.handle(connection, readiness: readiness, now: now)
            }
        }
        coordinator.resume(now: now)
        openConnections()
        actOnTimers()
        readMessages()
        deliver()
        inspect()
        coordinator.flush(now: now)
        closeIdle()
    }

    /// Returns the longest time to wait for events in milliseconds, or a negative number if there is no limit.
    mutating func timeout() -> CInt {
        now = .now
        if lookups.isReady { return wait(until: now) }
        let hasIdleMulti = exchangeMulti != nil || connectionMultis.contains { $0.handleCount == 0 }
        var deadline =
            transfers.isEmpty ? (hasIdleMulti ? lastUse + configuration.maxIdleTime : nil) : nextInspection
        func consider(_ time: MonotonicTime?) {
            guard let time else { return }
            deadline = deadline.map { min($0, time) } ?? time
        }
        consider(descriptorQueue.deadline(now: now))
        consider(coordinator.deadline(now: now))
        consider(poller.writePauseEnd)
        consider(exchangeMulti?.deadline(now: now))
        for multi in connectionMultis { consider(multi.deadline(now: now)) }
        return wait(until: deadline)
    }

    private mutating func wait(until deadline: MonotonicTime?) -> CInt {
        expectedWake = deadline.map { max($0, now) } ?? now + .seconds(86_400 * 365)
        return deadline.map { CInt(max($0 - now, .zero).milliseconds) } ?? -1
    }

    /// Closes what has not been used for the longest time for which a connection may be idle. libcurl closes idle
    /// connections only when it needs one: until then, those that peers close would stay half-closed.
    private mutating func closeIdle() {
        if !transfers.isEmpty { lastUse = now }
        let isIdle = now - lastUse >= configuration.maxIdleTime
        if isIdle, exchangeMulti != nil { closeExchangeMulti() }
        if !connectionMultis.isEmpty { discardSpentMultis(isIdle: isIdle) }
    }

    private mutating func closeExchangeMulti() {
        exchangeMulti?.close()
        exchangeMulti = nil
        if coordinator.isEmpty { handlePool.removeAll() }
    }

    /// Closes all connections. No exchange may be left.
    mutating func closeConnections() {
        coordinator.closeAllIdle()
        // Transfers that ended while they waited keep the engine.
        lookups.removeAll()
        descriptorQueue = DescriptorQueue()
        closeExchangeMulti()
        for multi in connectionMultis { multi.close() }
        connectionMultis = []
    }

    private mutating func execute(_ command: TransportEngine.Command) {
        switch command {
        case .start(.own(let exchange)): coordinator.start(exchange, now: now)
        case .start(.curl(let transfer)): start(transfer)
        case .abort(let exchange): abort(exchange)
        case .resumeReceiving(.own(let exchange)): coordinator.resumeReceiving(exchange, now: now)
        case .resumeReceiving(.curl(let transfer)): transfer.resumeReceiving(now: now)
        case .resumeSending(.own(let exchange)): coordinator.resumeSending(exchange, now: now)
        case .resumeSending(.curl(let transfer)): transfer.resumeSending(now: now)
        case .retire: isRetired = true
        }
    }
}

// MARK: Transfers

extension TransportLoop {
    private mutating func start(_ transfer: CurlTransfer) {
        guard !transfer.isAborted else { return }
        do throws(TransportFailure) {
            let multi = try runningExchangeMulti()
            try add(transfer, to: multi)
            growConnectionCache(multi)
        } catch {
            transfer.dispose()
            end(transfer, .failed(error))
        }
    }

    private mutating func add(_ transfer: CurlTransfer, to multi: MultiHandle) throws(TransportFailure) {
        try transfer.prepare(handlePool, poller, lookups)
        try transfer.add(to: multi)
        addedCount += 1
        transfer.index = transfers.count
        transfers.append(transfer)
    }

    private mutating func runningExchangeMulti() throws(TransportFailure) -> MultiHandle {
        if let exchangeMulti { return exchangeMulti }
        let created = try MultiHandle(poller)
        if let limit = configuration.maxConnectionsPerHost { created.set(CurlMultiOptionMaxHostConnections, limit) }
        // Zero would select libcurl's default.
        if let limit = configuration.maxIdleConnections {
            created.set(CurlMultiOptionMaxIdleConnections, max(limit, 1))
        }
        if !CurlTransport.Runtime.current.multiplexesOnlyHTTP2 { created.set(CurlMultiOptionMultiplexing, 0) }
        connectionCacheSize = 0
        exchangeMulti = created
        return created
    }

    /// Sizes the connection cache by the highest number of concurrent transfers. libcurl's default follows the current
    /// number: when many transfers end together, it would close most of the connections that the next ones need.
    private mutating func growConnectionCache(_ multi: MultiHandle) {
        guard configuration.maxIdleConnections == nil, transfers.count * 4 > connectionCacheSize else { return }
        connectionCacheSize = transfers.count * 8
        multi.set(CurlMultiOptionMaxIdleConnections, connectionCacheSize)
    }

    private mutating func abort(_ exchange: TransportEngine.AnyExchange) {
        switch exchange {
        case .own(let exchange):
            if let transfer = exchange.opening {
                coordinator.endOpening(for: exchange)
                abort(transfer)
            }
            coordinator.abort(exchange, now: now)
        case .curl(let transfer):
            abort(transfer)
        }
    }

    private mutating func abort(_ transfer: CurlTransfer) {
        guard !transfer.isAborted else { return }
        transfer.abort()
        _ = removeIfPossible(transfer)
    }

    /// Delivers the end of a transfer.
    private func end(_ transfer: CurlTransfer, _ event: TransportEvent, metrics: ExchangeMetrics? = nil) {
        guard let exchange = transfer.openingExchange else { return transfer.end(event, metrics: metrics) }
        guard !transfer.isAborted else { return }
        exchange.engine?.http1Origins.remove(exchange.request)
        transfer.abort()
        coordinator.endOpening(for: exchange)
        coordinator.end(exchange, event, metrics: metrics, now: now)
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
        guard let index = transfer.index else { return nil }
        let metrics = transfer.measured()
        transfer.discardBacklog()
        if detach(transfer) { descriptorQueue.noteEnd(now: now) }
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

// MARK: Connections for exchanges

extension TransportLoop {
    /// Begins to open connections for the exchanges that need one.
    private mutating func openConnections() {
        while let exchange = coordinator.nextToOpen(now: now) {
            let transfer = CurlTransfer(exchange.request, exchange.engine, opensConnectionFor: exchange)
            transfer.offersHTTP2 = exchange.allowsHTTP2
            exchange.opening = transfer
            do throws(TransportFailure) {
                try add(transfer, to: connectionMulti(for: exchange))
                scheduleInspection(of: transfer)
            } catch {
                transfer.dispose()
                end(transfer, .failed(error))
            }
        }
    }

    /// Returns the multi handle that opens a connection for an exchange.
    private mutating func connectionMulti(for exchange: Exchange) throws(TransportFailure) -> MultiHandle {
        // Before 7.75, libcurl keeps such a connection when its handle is removed, and may close it for another one.
        let isAlone = exchange.route.isEncrypted && !CurlTransport.Runtime.current.closesOpenedConnections
        if !isAlone, let found = connectionMultis.first(where: { !$0.isFull }) { return found }
        let created = try MultiHandle(poller, isOfOneConnection: isAlone)
        connectionMultis.append(created)
        return created
    }

    /// Closes the multi handles that have no connections left, except for one that the next connections are opened
    /// with.
    ///
    /// - Parameter isIdle: Whether no connections are expected.
    private mutating func discardSpentMultis(isIdle: Bool) {
        var isKept = !isIdle
        connectionMultis.removeAll { multi in
            guard multi.handleCount == 0 else { return false }
            if isKept, !multi.isFull {
                isKept = false
                return false
            }
            multi.close()
            return true
        }
    }

    /// Gives an exchange the connection that libcurl has opened for it.
    private mutating func handOver(_ transfer: CurlTransfer, to exchange: Exchange) {
        guard let descriptor = transfer.activeSocket else {
            // When libcurl opens another connection, it closes those on which a server has sent something, such as a
            // TLS ticket, and which have not been used yet.
            detach(transfer)
            coordinator.holdOpening(for: exchange)
            return restart(transfer)
        }
        let metrics = transfer.noticeOpened()
        let speaksHTTP2 =
            exchange.request.isSecure ? transfer.handle?.negotiatedProtocol == .http2 : exchange.requiresHTTP2
        let tls = exchange.route.isEncrypted ? transfer.takeHandle() : nil
        if tls == nil { transfer.multi?.take(descriptor) } else { addedCount -= 1 }
        let connection = TransportConnection(
            descriptor, tls, for: exchange, metrics: metrics, poller, coordinator.hostLimit, now: now)
        poller.assign(descriptor, to: connection)
        _ = remove(transfer, isReusable: true)
        transfer.abort()
        coordinator.opened(connection, for: exchange, speaksHTTP2: speaksHTTP2, now: now)
    }
}

// MARK: Transfers that wait

extension TransportLoop {
    /// Removes a transfer's handle from libcurl's.
    ///
    /// - Returns: Whether it was one of them.
    @discardableResult
    private mutating func detach(_ transfer: CurlTransfer) -> Bool {
        guard transfer.detach() else { return false }
        addedCount -= 1
        return true
    }

    /// Keeps a transfer that has failed because it was refused a lookup or a descriptor, until there is one, and starts
    /// one again whose connection had been closed.
    ///
    /// - Returns: Whether it goes on.
    private mutating func hold(_ transfer: CurlTransfer) -> Bool {
        guard let shortage = transfer.takeShortage(now: now) else { return false }
        detach(transfer)
        transfer.connecting.endLookup()
        if let exchange = transfer.openingExchange { coordinator.holdOpening(for: exchange) }
        switch shortage {
        case .lookup: lookups.hold(transfer)
        case .descriptor: descriptorQueue.append(transfer, now: now)
        case .openConnection: restart(transfer)
        }
        return true
    }

    /// Starts the transfers again whose turn has come.
    private mutating func startWaiting() {
        for _ in 0..<coordinator.takeEndCount() { descriptorQueue.noteEnd(now: now) }
        let busyCount = addedCount + coordinator.busyCount
        let attempt = descriptorQueue.attempt(
            now: now, idleCount: poller.socketCount - busyCount, isAlone: busyCount == 0
        ) { [poller] in poller.hasRoom }
        if let attempt {
            let count = attempt.transfers.count
            let closedCount = attempt.replacesIdle ? coordinator.closeIdle(count) : count
            for transfer in attempt.transfers { restart(transfer) }
            if closedCount < count { replaceIdleConnections() }
        }
        for transfer in lookups.takeReleased() { restart(transfer) }
    }

    /// Lets the transfers that have been started again connect in place of idle connections.
    ///
    /// libcurl closes the oldest idle connection for a new one if their total number is limited. If none is left, it
    /// puts the transfer off until another one ends, so the limit must not apply to other transfers.
    private func replaceIdleConnections() {
        guard let exchangeMulti else { return }
        exchangeMulti.set(CurlMultiOptionMaxTotalConnections, max(poller.socketCount, 1))
        exchangeMulti.actOnTimer(now: now)
        exchangeMulti.set(CurlMultiOptionMaxTotalConnections, 0)
    }

    private mutating func restart(_ transfer: CurlTransfer) {
        guard let handle = transfer.handle, transfer.index != nil, !transfer.isAdded else { return }
        if let exchange = transfer.openingExchange, coordinator.attachIdle(exchange, now: now) {
            coordinator.endOpening(for: exchange)
            return abort(transfer)
        }
        if let exchange = transfer.openingExchange { coordinator.resumeOpening(for: exchange) }
        do throws(TransportFailure) {
            if transfer.connecting.needsNewConnection { try handle.requireNewConnection() }
            if let exchange = transfer.openingExchange {
                try transfer.add(to: connectionMulti(for: exchange))
            } else {
                try transfer.add(to: runningExchangeMulti())
            }
            addedCount += 1
        } catch {
            let metrics = remove(transfer)
            end(transfer, .failed(error), metrics: metrics)
        }
    }

    private mutating func fail(_ transfers: [CurlTransfer], _ event: TransportEvent) {
        for transfer in transfers where transfer.index != nil {
            let metrics = remove(transfer)
            end(transfer, event, metrics: metrics)
        }
    }
}

// MARK: libcurl

extension TransportLoop {
    private func actOnTimers() {
        exchangeMulti?.actOnTimer(now: now)
        for multi in connectionMultis { multi.actOnTimer(now: now) }
    }

    /// Ends the transfers that libcurl has completed.
    private mutating func readMessages() {
        if let exchangeMulti { readMessages(of: exchangeMulti) }
        for multi in connectionMultis { readMessages(of: multi) }
    }

    private mutating func readMessages(of multi: MultiHandle) {
        while let (easy, code) = multi.nextMessage() {
            guard let transfer = CurlHandle.transfer(of: easy) else { continue }
            if code == 0, let exchange = transfer.openingExchange, !transfer.isAborted {
                handOver(transfer, to: exchange)
                continue
            }
            if code != 0, hold(transfer) { continue }
            let outcome = transfer.outcome(code)
            if case .failed(let failure) = outcome, failure.isLookupFailure {
                fail(transfer.connecting.endFailedLookup(), outcome)
            }
            let metrics = remove(transfer, isReusable: code == 0)
            end(transfer, outcome, metrics: metrics)
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
        let expired = descriptorQueue.takeExpired(now: now)
        // The failure takes a text of the system's.
        if !expired.isEmpty { fail(expired, .failed(.resourceExhausted)) }
        let time = pollProgress.time
        coordinator.inspect(time, now: now)
        guard let due = nextInspection, due <= time else { return }
        nextInspection = nil
        for transfer in transfers {
            transfer.judgeRate(now: time)
            guard let deadline = transfer.deadline(now: now) else { continue }
            if deadline.at <= time {
                let metrics = removeIfPossible(transfer)
                end(transfer, .failed(TransportFailure(.timeout(deadline.timeout))), metrics: metrics)
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
#endif
