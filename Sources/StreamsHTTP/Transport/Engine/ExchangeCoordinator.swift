#if canImport(CLibcurl)
import CStreams

/// The exchanges of an engine, and their connections.
///
/// It is a part of the ``TransportLoop``, which opens the connections. Only the engine's thread uses it.
final class ExchangeCoordinator {
    private static let bufferSize = 128 * 1024

    let poller: SocketPoller
    let hostLimit: HostLimit
    @exclusivity(unchecked) var pool: ConnectionPool
    @exclusivity(unchecked) private var exchanges: [Exchange] = []
    /// The exchanges that wait because of the limit of connections to a host, by their destinations, in order.
    @exclusivity(unchecked) private var limited: [String: WaitingQueue<Exchange>] = [:]
    @exclusivity(unchecked) var openings = OpeningQueue()
    /// The number of connections that exchanges use.
    @exclusivity(unchecked) var busyCount = 0
    /// The connections that may have more bytes.
    @exclusivity(unchecked) var interrupted: [TransportConnection] = []
    /// The connections by HTTP/2 that have changed in this turn.
    @exclusivity(unchecked) var changedSessions: [HTTP2Session] = []
    /// The number of exchanges that have ended since it was last taken.
    @exclusivity(unchecked) private var endCount = 0
    @exclusivity(unchecked) private var nextInspection: MonotonicTime?
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)

    init(_ configuration: CurlTransport.Configuration, poller: SocketPoller) {
        self.poller = poller
        hostLimit = HostLimit(configuration.maxConnectionsPerHost)
        pool = ConnectionPool(configuration, poller.share)
    }

    deinit {
        buffer.deallocate()
    }

    /// Whether no exchange is left.
    var isEmpty: Bool { exchanges.isEmpty }

    /// Starts an exchange.
    func start(_ exchange: Exchange, now: MonotonicTime) {
        guard !exchange.isOver else { return }
        exchange.index = exchanges.count
        exchanges.append(exchange)
        do throws(TransportFailure) {
            try exchange.openBody()
            attachOrOpen(exchange, now: now)
        } catch {
            end(exchange, .failed(error))
        }
    }

    /// Ends an exchange without an event.
    func abort(_ exchange: Exchange, now: MonotonicTime) {
        guard !exchange.isOver else { return }
        exchange.discard()
        leave(exchange, now: now)
    }

    func resumeReceiving(_ exchange: Exchange, now: MonotonicTime) {
        if exchange.resumeReceiving(now: now) { receive(exchange, now: now) }
    }

    func resumeSending(_ exchange: Exchange, now: MonotonicTime) {
        if exchange.resumeSending(now: now) { send(exchange, now: now) }
    }

    /// Handles a socket that is ready.
    func handle(_ connection: TransportConnection, readiness: CInt, now: MonotonicTime) {
        if let session = connection.session { return handle(session, readiness: readiness, now: now) }
        guard let exchange = connection.exchange else {
            // Over TLS, it may be a ticket for a later session.
            guard !connection.isSilent else { return }
            pool.remove(connection)
            return connection.close()
        }
        if readiness & CInt(PollerOut) != 0 { send(exchange, now: now) }
        if readiness & ~CInt(PollerOut) != 0, connection.exchange === exchange { receive(exchange, now: now) }
    }

    /// Reads the connections that may have more bytes, and starts exchanges for which there is room.
    func resume(now: MonotonicTime) {
        for destination in hostLimit.takeFreed() {
            if let exchange = takeLimited(of: destination, where: { _ in true }) { attachOrOpen(exchange, now: now) }
        }
        guard !interrupted.isEmpty else { return }
        let connections = interrupted
        interrupted = []
        for connection in connections {
            if let session = connection.session {
                handle(session, readiness: CInt(PollerIn), now: now)
            } else if let exchange = connection.exchange {
                receive(exchange, now: now)
            }
        }
    }
}

// MARK: Connections

extension ExchangeCoordinator {
    /// Gives an exchange a connection that is open, or has one opened.
    func attachOrOpen(_ exchange: Exchange, now: MonotonicTime) {
        if !attachIdle(exchange, now: now) { open(exchange, now: now) }
    }

    /// Gives an exchange an idle connection, or a stream of one.
    ///
    /// - Returns: Whether there was one.
    func attachIdle(_ exchange: Exchange, now: MonotonicTime) -> Bool {
        if attachShared(exchange, now: now) { return true }
        guard let connection = pool.take(for: exchange, now: now) else { return false }
        attach(exchange, connection, now: now)
        return true
    }

    private func open(_ exchange: Exchange, now: MonotonicTime) {
        let destination = exchange.route.destination
        // An idle connection with other options gives way.
        if hostLimit.take(destination) || pool.closeOldest(of: destination) && hostLimit.take(destination) {
            exchange.beginConnecting()
            exchange.beginWait(.turnToOpen, now: now)
            if exchange.settle(now: now) { scheduleInspection(of: exchange, now: now) }
            openings.append(exchange)
        } else {
            // There is no room for another connection than the one whose server has refused the request.
            exchange.avoidedSession = nil
            exchange.beginWait(.connection, now: now)
            limited[destination, default: WaitingQueue()].append(exchange) { !$0.isWaiting }
        }
    }

    /// Takes the first exchange of those that wait because of the limit of connections to a host.
    func takeLimited(of destination: String, where condition: (Exchange) -> Bool) -> Exchange? {
        guard var queue = limited.removeValue(forKey: destination) else { return nil }
        while let first = queue.first, !first.isWaiting { _ = queue.popFirst() }
        let taken = queue.popFirst { $0.isWaiting && condition($0) }
        if !queue.isEmpty { limited[destination] = queue }
        return taken
    }

    /// Returns the next exchange for which a connection is to be opened now.
    func nextToOpen(now: MonotonicTime) -> Exchange? {
        while let exchange = openings.next() {
            guard !exchange.isWaiting || attachIdle(exchange, now: now) else {
                exchange.endWait()
                return exchange
            }
            openings.end(exchange)
            hostLimit.giveBack(exchange.route.destination)
        }
        return nil
    }

    /// Gives an exchange the connection that has been opened for it.
    ///
    /// - Parameter speaksHTTP2: Whether the server speaks HTTP/2 on the connection.
    func opened(
        _ connection: TransportConnection, for exchange: Exchange, speaksHTTP2: Bool, now: MonotonicTime
    ) {
        exchange.opening = nil
        guard !speaksHTTP2 else { return openedShared(connection, for: exchange, now: now) }
        if exchange.allowsHTTP2 { noteHTTP1(exchange) }
        openings.end(exchange)
        attach(exchange, connection, now: now)
    }

    /// Lets others be opened while a connection waits for a lookup or a descriptor.
    func holdOpening(for exchange: Exchange) {
        exchange.isOpeningHeld = true
        openings.end(exchange)
    }

    /// Goes on to open a connection that waited.
    func resumeOpening(for exchange: Exchange) {
        exchange.isOpeningHeld = false
        openings.begin(exchange)
    }

    /// Stops opening a connection for an exchange.
    func endOpening(for exchange: Exchange) {
        if !exchange.isOpeningHeld { openings.end(exchange) }
        exchange.opening = nil
        hostLimit.giveBack(exchange.route.destination)
    }

    private func attach(_ exchange: Exchange, _ connection: TransportConnection, now: MonotonicTime) {
        busyCount += 1
        poller.connections.beganExchange(with: exchange.origin, isReused: connection.isReused)
        exchange.attach(connection, now: now)
        send(exchange, now: now)
    }

    /// Closes idle connections, those first that have been idle for the longest time.
    func closeIdle(_ count: Int) {
        var left = count
        while left > 0, pool.closeOldest() { left -= 1 }
    }

    /// Closes all idle connections.
    func closeAllIdle() {
        pool.closeAll()
    }
}

// MARK: Exchanges

extension ExchangeCoordinator {
    private func send(_ exchange: Exchange, now: MonotonicTime) {
        if let session = exchange.http2?.session {
            session.sendContent(of: exchange)
            return markChanged(session)
        }
        do throws(TransportFailure) {
            try exchange.send(buffer)
            if exchange.hasSendFailure { return receive(exchange, now: now) }
            settle(exchange, now: now)
        } catch {
            end(exchange, .failed(error), now: now)
        }
    }

    private func receive(_ exchange: Exchange, now: MonotonicTime) {
        if let session = exchange.http2?.session {
            session.resumeReceiving(exchange)
            return markChanged(session)
        }
        do throws(TransportFailure) {
            switch try exchange.receive(buffer) {
            case .complete:
                return end(exchange, exchange.completion, now: now)
            case .interrupted:
                if let connection = exchange.connection { interrupted.append(connection) }
            case .incomplete:
                if exchange.canSend { return send(exchange, now: now) }
            }
            settle(exchange, now: now)
        } catch {
            end(exchange, .failed(error), now: now)
        }
    }

    /// Delivers what has been sent and received, and waits for more.
    private func settle(_ exchange: Exchange, now: MonotonicTime) {
        exchange.deliver()
        if let connection = exchange.connection { poller.watch(connection, for: exchange.interest) }
        if exchange.settle(now: now) { scheduleInspection(of: exchange, now: now) }
    }

    /// Ends an exchange.
    ///
    /// - Parameter metrics: The metrics of a connection that could not be opened.
    func end(
        _ exchange: Exchange, _ event: TransportEvent, metrics: TransportEvent.Metrics? = nil,
        now: MonotonicTime = .now
    ) {
        let metrics = exchange.measured(metrics)
        leave(exchange, now: now)
        exchange.end(event, metrics: metrics)
    }

    /// Removes an exchange, which leaves its connection.
    private func leave(_ exchange: Exchange, now: MonotonicTime) {
        guard let index = exchange.index else { return }
        exchanges.swapAt(index, exchanges.count - 1)
        exchanges[index].index = index
        exchanges.removeLast()
        exchange.index = nil
        endCount += 1
        release(exchange, now: now)
    }

    /// Takes the connection of an exchange, and keeps or closes it unless others use it.
    func release(_ exchange: Exchange, now: MonotonicTime) {
        guard let connection = exchange.connection else { return }
        poller.connections.endedExchange(with: exchange.origin, version: exchange.version)
        if let session = exchange.http2?.session { return release(exchange, of: session, now: now) }
        busyCount -= 1
        let isKept = exchange.keepsConnection
        exchange.detach()
        if isKept { reuse(connection, now: now) } else { connection.close() }
    }

    /// Gives a connection to an exchange that waits for one, or keeps it.
    private func reuse(_ connection: TransportConnection, now: MonotonicTime) {
        connection.isReused = true
        poller.watch(connection, for: CInt(PollerIn))
        let destination = connection.route.destination
        guard limited[destination] != nil || openings.hasWaiting(for: destination) else {
            return pool.put(connection, now: now)
        }
        guard connection.isSilent else { return connection.close() }
        if let next = openings.take(for: connection) {
            hostLimit.giveBack(destination)
            attach(next, connection, now: now)
        } else if let next = takeLimited(of: destination, where: connection.serves) {
            attach(next, connection, now: now)
        } else if limited[destination] != nil {
            // Those that wait need another connection, for which this one makes room.
            connection.close()
        } else {
            pool.put(connection, now: now)
        }
    }

    /// Counts the end of an opening as one of an exchange: both may leave a descriptor.
    func noteEnd() {
        endCount += 1
    }

    /// Whether exchanges have ended since their number was last taken.
    var hasEnds: Bool { endCount > 0 }

    /// Takes the number of exchanges that have ended since the last call.
    func takeEndCount() -> Int {
        defer { endCount = 0 }
        return endCount
    }
}

// MARK: Timeouts

extension ExchangeCoordinator {
    /// The time at which there is something to do although no socket is ready; `nil` if there is none.
    func deadline(now: MonotonicTime) -> MonotonicTime? {
        if !interrupted.isEmpty || !changedSessions.isEmpty || hostLimit.hasFreed || openings.hasNext() { return now }
        guard let nextInspection else { return pool.nextExpiry }
        return pool.nextExpiry.map { min($0, nextInspection) } ?? nextInspection
    }

    func scheduleInspection(of exchange: Exchange, now: MonotonicTime) {
        if let time = exchange.deadline(now: now)?.at { scheduleInspection(at: time) }
        if let time = exchange.continueWait.deadline { scheduleInspection(at: time) }
    }

    func scheduleInspection(at time: MonotonicTime) {
        nextInspection = min(nextInspection ?? time, time)
    }

    /// Ends the exchanges that have timed out, and closes the connections that are too old.
    ///
    /// - Parameters:
    ///   - time: The time up to which every socket is known to have been read.
    ///   - now: The time.
    func inspect(_ time: MonotonicTime, now: MonotonicTime) {
        pool.closeExpired(now: now)
        guard let due = nextInspection, due <= time else { return }
        nextInspection = nil
        for exchange in exchanges {
            exchange.judgeRate(now: time)
            if exchange.continueWait.end(now: now) { send(exchange, now: now) }
            if let deadline = exchange.deadline(now: now), deadline.at <= time {
                end(exchange, .failed(exchange.failure(by: deadline.timeout)), now: now)
            } else {
                scheduleInspection(of: exchange, now: now)
            }
        }
        inspectSessions(time, now: now)
    }

    /// Measures the rates anew, because the process did not run for a while.
    func restartRates(now: MonotonicTime) {
        for exchange in exchanges { exchange.restartRate(now: now) }
    }
}
#endif
