#if canImport(CLibcurl)
/// The state of an engine, and the work of one iteration. Only the engine's thread uses it.
struct TransportLoop: ~Copyable {
    private let configuration: CurlTransport.Configuration
    let poller: SocketPoller
    private let handlePool: HandlePool
    private let lookups: NameLookups
    private let coordinator: ExchangeCoordinator
    private var descriptorQueue = DescriptorQueue()
    private var pollProgress = PollProgress()
    /// The multi handles that open connections, and keep those with TLS.
    private var multis: [MultiHandle] = []
    /// The openings of connections.
    private var openings: [ConnectionOpening] = []
    /// The number of openings that have been added to libcurl's. The others wait for a lookup or a descriptor.
    private var addedCount = 0
    private var isRetired = false
    private var now = MonotonicTime.now
    private var lastUse = MonotonicTime.now
    /// The expected end of the current wait for events.
    private var expectedWake = MonotonicTime.now
    /// The time to look for openings that have timed out next.
    private var nextInspection: MonotonicTime?

    init(_ configuration: CurlTransport.Configuration, poller: SocketPoller) {
        self.configuration = configuration
        self.poller = poller
        lookups = NameLookups(reserve: configuration.reservedDescriptors, poller.share)
        handlePool = HandlePool(configuration)
        coordinator = ExchangeCoordinator(configuration, poller: poller)
    }

    /// Whether the transport has been released and no exchange is left.
    var isOver: Bool { isRetired && openings.isEmpty && coordinator.isEmpty }

    /// Runs one iteration: executes commands in order, handles ready sockets, and delivers the results.
    mutating func run(eventCount: Int, _ commands: [TransportEngine.Command]) {
        pollProgress.record(
            start: now, events: eventCount, capacity: SocketPoller.capacity, socketCount: poller.socketCount)
        now = .now
        if now - expectedWake > RateCheck.tolerance { coordinator.restartRates(now: now) }
        // Before all that could start a waiting opening.
        for case .abort(let exchange) in commands { abort(exchange) }
        assistOthers()
        // Before new openings, which would take the descriptors that others wait for.
        startWaiting()
        for command in commands { execute(command) }
        poller.forEachEvent(eventCount) { [coordinator, now] event in
            switch event {
            case .opening(let multi, let descriptor, let readiness): multi.act(descriptor, readiness)
            case .connection(let connection, let readiness):
                coordinator.handle(connection, readiness: readiness, now: now)
            }
        }
        coordinator.resume(now: now)
        openConnections()
        for multi in multis { multi.actOnTimer(now: now) }
        for multi in multis { readMessages(of: multi) }
        inspect()
        coordinator.flush(now: now)
        discardSpentMultis()
    }

    /// Returns the longest time to wait for events in milliseconds, or a negative number if there is no limit.
    mutating func timeout() -> CInt {
        now = .now
        if lookups.isReady { return wait(until: now) }
        let hasIdleMulti = multis.contains { $0.handleCount == 0 }
        var deadline = openings.isEmpty ? (hasIdleMulti ? lastUse + configuration.maxIdleTime : nil) : nextInspection
        func consider(_ time: MonotonicTime?) {
            guard let time else { return }
            deadline = deadline.map { min($0, time) } ?? time
        }
        if coordinator.hasEnds, poller.share.isShort { consider(now) }
        consider(descriptorQueue.deadline(now: now))
        consider(coordinator.deadline(now: now))
        for multi in multis { consider(multi.deadline(now: now)) }
        return wait(until: deadline)
    }

    private mutating func wait(until deadline: MonotonicTime?) -> CInt {
        expectedWake = deadline.map { max($0, now) } ?? now + .seconds(86_400 * 365)
        return deadline.map { CInt(max($0 - now, .zero).milliseconds) } ?? -1
    }

    /// Closes all connections. No exchange may be left.
    mutating func closeConnections() {
        coordinator.closeAllIdle()
        // Openings that ended while they waited keep the engine.
        lookups.removeAll()
        descriptorQueue = DescriptorQueue()
        handlePool.removeAll()
        for multi in multis { multi.close() }
        multis = []
        poller.share.leave()
    }

    private mutating func execute(_ command: TransportEngine.Command) {
        switch command {
        case .start(let exchange): coordinator.start(exchange, now: now)
        case .abort(let exchange): abort(exchange)
        case .resumeReceiving(let exchange): coordinator.resumeReceiving(exchange, now: now)
        case .resumeSending(let exchange): coordinator.resumeSending(exchange, now: now)
        case .retire: isRetired = true
        }
    }

    private mutating func abort(_ exchange: Exchange) {
        if let opening = exchange.opening {
            coordinator.endOpening(for: exchange)
            abort(opening)
        }
        coordinator.abort(exchange, now: now)
    }
}

// MARK: Openings

extension TransportLoop {
    /// Begins to open connections for the exchanges that need one.
    private mutating func openConnections() {
        while let exchange = coordinator.nextToOpen(now: now) {
            let opening = ConnectionOpening(for: exchange)
            exchange.opening = opening
            do throws(TransportFailure) {
                try start(opening)
            } catch {
                opening.dispose()
                fail(opening, error)
            }
        }
    }

    private mutating func start(_ opening: ConnectionOpening) throws(TransportFailure) {
        try opening.prepare(handlePool, poller, lookups, offersHTTP2: opening.exchange.allowsHTTP2)
        // A descriptor that is offered to another engine is free until that one wakes.
        let comesLater = poller.share.isShort && poller.share.isAnotherFirst
        if !comesLater { try add(opening) }
        opening.index = openings.count
        openings.append(opening)
        if comesLater {
            opening.connecting.refuseDescriptor()
            hold(opening)
        }
    }

    private mutating func add(_ opening: ConnectionOpening) throws(TransportFailure) {
        try opening.add(to: multi(for: opening))
        addedCount += 1
        opening.beginConnecting(now: now)
        scheduleInspection(of: opening)
    }

    /// Returns the multi handle that opens a connection.
    private mutating func multi(for opening: ConnectionOpening) throws(TransportFailure) -> MultiHandle {
        // Before 7.75, libcurl keeps such a connection when its handle is removed, and may close it for another one.
        let isAlone = opening.route.isEncrypted && !CurlTransport.Runtime.current.closesOpenedConnections
        if !isAlone, let found = multis.first(where: { !$0.isFull }) { return found }
        let created = try MultiHandle(poller, isOfOneConnection: isAlone)
        multis.append(created)
        return created
    }

    /// Closes the multi handles that have no connections left, except for one that the next connections are opened
    /// with, until none has been opened for the longest time for which a connection may be idle.
    private mutating func discardSpentMultis() {
        if !openings.isEmpty { lastUse = now }
        guard !multis.isEmpty else { return }
        let isIdle = now - lastUse >= configuration.maxIdleTime
        var isKept = !isIdle
        multis.removeAll { multi in
            guard multi.handleCount == 0 else { return false }
            if isKept, !multi.isFull {
                isKept = false
                return false
            }
            multi.close()
            return true
        }
        if isIdle, multis.isEmpty { handlePool.removeAll() }
    }

    private mutating func abort(_ opening: ConnectionOpening) {
        guard !opening.isOver else { return }
        opening.end()
        _ = removeIfPossible(opening)
    }

    /// Ends the exchange of an opening that has failed.
    private func fail(
        _ opening: ConnectionOpening, _ failure: TransportFailure, metrics: TransportEvent.Metrics? = nil
    ) {
        guard !opening.isOver else { return }
        let exchange = opening.exchange
        exchange.engine?.http1Origins.remove(exchange.request)
        opening.end()
        coordinator.endOpening(for: exchange)
        coordinator.end(exchange, .failed(failure), metrics: metrics, now: now)
    }

    private mutating func fail(_ openings: [ConnectionOpening], _ failure: TransportFailure) {
        for opening in openings where opening.index != nil {
            let metrics = remove(opening)
            fail(opening, failure, metrics: metrics)
        }
    }

    /// Removes an opening, unless its name is being resolved: then it ends by itself.
    ///
    /// - Returns: The metrics, if the opening is removed and they are wanted.
    private mutating func removeIfPossible(_ opening: ConnectionOpening) -> TransportEvent.Metrics? {
        opening.isRemovable ? remove(opening) : nil
    }

    /// Removes an opening.
    ///
    /// - Parameter isReusable: Whether the handle can be used again.
    /// - Returns: The metrics, if they are wanted.
    private mutating func remove(_ opening: ConnectionOpening, isReusable: Bool = false) -> TransportEvent.Metrics? {
        guard let index = opening.index else { return nil }
        let metrics = opening.measured()
        if detach(opening) { coordinator.noteEnd() }
        opening.connecting.endLookup()
        lastUse = now
        openings.swapAt(index, openings.count - 1)
        openings[index].index = index
        openings.removeLast()
        opening.index = nil
        opening.dispose(to: isReusable ? handlePool : nil)
        return metrics
    }

    /// Removes an opening's handle from libcurl's.
    ///
    /// - Returns: Whether it was one of them.
    @discardableResult
    private mutating func detach(_ opening: ConnectionOpening) -> Bool {
        guard opening.detach() else { return false }
        addedCount -= 1
        return true
    }
}

// MARK: Results

extension TransportLoop {
    /// Takes the connections that libcurl has opened, and the failures to open one.
    private mutating func readMessages(of multi: MultiHandle) {
        while let (easy, code) = multi.nextMessage() {
            guard let opening = CurlHandle.opening(of: easy) else { continue }
            if code == 0, !opening.isOver {
                handOver(opening)
            } else if code == 0 || !hold(opening) {
                let failure = opening.failure(code)
                if failure.isLookupFailure { fail(opening.connecting.endFailedLookup(), failure) }
                let metrics = remove(opening)
                fail(opening, failure, metrics: metrics)
            }
        }
    }

    /// Gives an exchange the connection that has been opened for it.
    private mutating func handOver(_ opening: ConnectionOpening) {
        let exchange = opening.exchange
        guard let descriptor = opening.activeSocket else {
            // When libcurl opens another connection, it closes those on which a server has sent something, such as a
            // TLS ticket, and which have not been used yet.
            detach(opening)
            coordinator.holdOpening(for: exchange)
            return restart(opening)
        }
        let metrics = opening.noticeOpened()
        let speaksHTTP2 =
            exchange.request.isSecure ? opening.handle?.negotiatedProtocol == .http2 : exchange.requiresHTTP2
        let tls = exchange.route.isEncrypted ? opening.takeHandle() : nil
        if tls == nil { opening.multi?.take(descriptor) } else { addedCount -= 1 }
        let connection = TransportConnection(
            descriptor, tls, for: exchange, metrics: metrics, poller, coordinator.hostLimit, now: now)
        poller.assign(descriptor, to: connection)
        _ = remove(opening, isReusable: true)
        opening.end()
        coordinator.opened(connection, for: exchange, speaksHTTP2: speaksHTTP2, now: now)
    }
}

// MARK: Openings that wait

extension TransportLoop {
    /// Keeps an opening that has failed because it was refused a lookup or a descriptor, until there is one.
    ///
    /// - Returns: Whether it goes on.
    @discardableResult
    private mutating func hold(_ opening: ConnectionOpening) -> Bool {
        guard let shortage = opening.takeShortage(now: now) else { return false }
        detach(opening)
        opening.connecting.endLookup()
        coordinator.holdOpening(for: opening.exchange)
        switch shortage {
        case .lookup: lookups.hold(opening)
        case .descriptor:
            opening.exchange.beginWait(.descriptor, now: now)
            descriptorQueue.append(opening, now: now)
            announceWait()
        }
        return true
    }

    /// Starts the openings again whose turn has come.
    private mutating func startWaiting() {
        shareDescriptors()
        let busyCount = addedCount + coordinator.busyCount
        let attempt = descriptorQueue.attempt(
            now: now, idleCount: poller.socketCount - busyCount,
            isAlone: busyCount == 0 && poller.socketCount == poller.share.socketCount
        ) { [poller] in poller.hasRoom }
        if let attempt {
            if attempt.replacesIdle { coordinator.closeIdle(attempt.openings.count) }
            for opening in attempt.openings { restart(opening) }
            poller.share.askForIdle(attempt.missingCount)
            announceWait()
            poller.share.free(attempt.unusedCount)
        }
        for opening in lookups.takeReleased() { restart(opening) }
    }

    /// Offers the descriptors of exchanges that have ended to the engine whose first opening has waited the longest, and
    /// takes those that are offered to this one.
    private mutating func shareDescriptors() {
        let (share, endCount) = (poller.share, coordinator.takeEndCount())
        guard share.isShort else { return }
        announceWait()
        if endCount > 0 { closeForOthers(share.noteEnds(endCount, hasRoom: poller.hasRoom, now: now)) }
        let freedCount = share.takeFreedCount()
        if descriptorQueue.firstWait() == nil { share.free(freedCount) } else { descriptorQueue.noteFreed(freedCount) }
    }

    /// Tells the other engines which openings wait for a descriptor.
    private mutating func announceWait() {
        poller.share.setWaiting(since: descriptorQueue.firstWait(), count: descriptorQueue.count)
    }

    /// Closes the idle connections that other engines need closed.
    private func assistOthers() {
        guard poller.share.takeWake() else { return }
        coordinator.pool.closeExcess()
        closeForOthers(poller.share.takeWantedCount(of: coordinator.pool.count))
    }

    /// Closes idle connections, and offers their descriptors to the other engines.
    private func closeForOthers(_ count: Int) {
        coordinator.closeIdle(count)
        poller.share.freePromised(count)
    }

    private mutating func restart(_ opening: ConnectionOpening) {
        guard opening.handle != nil, opening.index != nil, !opening.isAdded else { return }
        let exchange = opening.exchange
        guard !coordinator.attachIdle(exchange, now: now) else {
            coordinator.endOpening(for: exchange)
            return abort(opening)
        }
        coordinator.resumeOpening(for: exchange)
        do throws(TransportFailure) {
            try add(opening)
        } catch {
            let metrics = remove(opening)
            fail(opening, error, metrics: metrics)
        }
    }
}

// MARK: Timeouts

extension TransportLoop {
    private mutating func scheduleInspection(of opening: ConnectionOpening) {
        guard let deadline = opening.deadline(now: now)?.at else { return }
        nextInspection = min(nextInspection ?? deadline, deadline)
    }

    /// Ends the openings and exchanges that have timed out.
    private mutating func inspect() {
        let expired = descriptorQueue.takeExpired(now: now, lastEnd: poller.share.lastEnd)
        // The failure takes a text of the system's.
        if !expired.isEmpty { fail(expired, .resourceExhausted) }
        let time = pollProgress.time
        coordinator.inspect(time, now: now)
        guard let due = nextInspection, due <= time else { return }
        nextInspection = nil
        for opening in openings {
            guard let deadline = opening.deadline(now: now) else { continue }
            if deadline.at <= time {
                let metrics = removeIfPossible(opening)
                fail(opening, opening.exchange.failure(by: deadline.timeout), metrics: metrics)
            } else {
                nextInspection = min(nextInspection ?? deadline.at, deadline.at)
            }
        }
    }
}
#endif
