#if canImport(CLibcurl)
import CStreams

// Connections by HTTP/2, which exchanges share.

extension ExchangeCoordinator {
    /// Gives an exchange a stream of a connection.
    ///
    /// - Returns: Whether there was one.
    func attachShared(_ exchange: Exchange, now: MonotonicTime) -> Bool {
        guard exchange.allowsHTTP2 else { return false }
        return pool.sharedConnections(to: exchange.route.destination).contains { connection in
            guard let session = connection.session, connection.serves(exchange) else { return false }
            return start(exchange, on: session, now: now)
        }
    }

    /// Begins an exchange on a connection.
    ///
    /// - Returns: Whether there was room.
    private func start(_ exchange: Exchange, on session: HTTP2Session, now: MonotonicTime) -> Bool {
        let connection = session.connection
        let (wasIdle, isReused) = (session.isIdle, connection.isReused)
        if isReused, pool.isTooOld(connection, isIdle: wasIdle, now: now) {
            session.retire()
            markChanged(session)
        }
        guard session.start(exchange, now: now) else { return false }
        if wasIdle {
            pool.remove(connection)
            busyCount += 1
        }
        connection.isReused = true
        poller.connections.beganExchange(with: exchange.origin, isReused: isReused)
        markChanged(session)
        return true
    }

    /// Gives an exchange the connection that has been opened for it, and which speaks HTTP/2.
    func openedShared(_ connection: TransportConnection, for exchange: Exchange, now: MonotonicTime) {
        let other = pool.sharedConnections(to: connection.route.destination).last { $0.session?.isSettled ?? false }
        let session = HTTP2Session(connection, like: other?.session, now: now)
        connection.session = session
        session.opener = exchange
        pool.add(shared: connection)
        _ = start(exchange, on: session, now: now)
        // With the end of the handshake, TLS may have read the server's first frames.
        interrupted.append(connection)
    }

    /// Remembers that the server of an exchange speaks HTTP/1.1 alone, so that others need not wait for its connection.
    func noteHTTP1(_ exchange: Exchange) {
        exchange.engine?.http1Origins.insert(exchange.request)
        exchange.requiresHTTP1 = true
        openings.forEachWaiting(for: exchange.route.destination) { waiting in
            if waiting.origin == exchange.origin { waiting.requiresHTTP1 = true }
        }
    }

    /// Handles the socket of a connection.
    func handle(_ session: HTTP2Session, readiness: CInt, now: MonotonicTime) {
        if readiness & ~CInt(PollerOut) != 0, session.receive(buffer, now: now) {
            interrupted.append(session.connection)
        }
        markChanged(session)
    }

    /// Has a connection looked at in this turn, after all that may change it.
    func markChanged(_ session: HTTP2Session) {
        guard !session.isChanged else { return }
        session.isChanged = true
        changedSessions.append(session)
    }

    /// Delivers what the connections by HTTP/2 have received, and sends what there is to send.
    func flush(now: MonotonicTime) {
        while let session = changedSessions.popLast() {
            session.isChanged = false
            settle(session, now: now)
        }
    }

    private func settle(_ session: HTTP2Session, now: MonotonicTime) {
        for (exchange, end) in session.takeEnded() where exchange.isAttached(to: session) {
            switch end {
            case .complete: self.end(exchange, exchange.completion, now: now)
            case .failed(let failure): self.end(exchange, .failed(failure), now: now)
            case .unprocessed(let refusal): startAgain(exchange, after: refusal, now: now)
            case .requiresHTTP1:
                noteHTTP1(exchange)
                startAgain(exchange, now: now)
            }
        }
        for exchange in session.takeChanged() where exchange.isAttached(to: session) {
            exchange.deliver()
            session.allowContent(of: exchange)
            if exchange.settle(now: now) { scheduleInspection(of: exchange, now: now) }
        }
        giveRoom(of: session, now: now)
        session.send()
        if session.hasSendFailure, !interrupted.contains(where: { $0.session === session }) {
            interrupted.append(session.connection)
        }
        if session.hasNews { markChanged(session) }
        keep(session, now: now)
    }

    /// Gives the streams of a connection to exchanges that wait.
    private func giveRoom(of session: HTTP2Session, now: MonotonicTime) {
        let connection = session.connection
        let destination = connection.route.destination
        while session.hasRoom, let next = openings.take(for: connection) {
            hostLimit.giveBack(destination)
            startOrOpen(next, on: session, now: now)
        }
        while session.hasRoom, let next = takeLimited(of: destination, where: connection.serves) {
            startOrOpen(next, on: session, now: now)
        }
    }

    /// Begins an exchange on a connection, or on another one if it has become too old.
    private func startOrOpen(_ exchange: Exchange, on session: HTTP2Session, now: MonotonicTime) {
        if !start(exchange, on: session, now: now) { attachOrOpen(exchange, now: now) }
    }

    /// Keeps a connection open, or closes it if it is over.
    private func keep(_ session: HTTP2Session, now: MonotonicTime) {
        let connection = session.connection
        if session.isSettled || session.isOver, let exchange = session.opener.take() { openings.end(exchange) }
        guard !session.isOver else { return pool.close(connection) }
        poller.watch(connection, for: CInt(PollerIn) | (session.waitsForRoom ? CInt(PollerOut) : 0))
        if let deadline = session.deadline { scheduleInspection(at: deadline) }
    }

    /// Removes an exchange from a connection, which becomes idle with the last one.
    func release(_ exchange: Exchange, of session: HTTP2Session, now: MonotonicTime) {
        session.remove(exchange)
        exchange.detach()
        markChanged(session)
        guard session.isIdle else { return }
        busyCount -= 1
        // A server that has not sent its settings may speak another protocol, and others wait for them.
        if !session.isSettled { session.retire() }
        if !session.isOver { pool.put(session.connection, now: now) }
    }

    /// Sends a request again that a server has not processed, so that it can be sent whatever its method is.
    private func startAgain(_ exchange: Exchange, after refusal: HTTPError.Underlying? = nil, now: MonotonicTime) {
        exchange.avoidedSession = exchange.http2?.session
        release(exchange, now: now)
        do throws(TransportFailure) {
            try exchange.prepareToStartAgain(after: refusal)
            attachOrOpen(exchange, now: now)
        } catch {
            end(exchange, .failed(error), now: now)
        }
    }

    /// Asks silent servers whether they are there.
    ///
    /// - Parameters:
    ///   - time: The time up to which every connection is known to have been read.
    ///   - now: The time.
    func inspectSessions(_ time: MonotonicTime, now: MonotonicTime) {
        for session in pool.sessions {
            if session.inspect(time, now: now) { markChanged(session) }
            if let deadline = session.deadline { scheduleInspection(at: deadline) }
        }
    }
}
#endif
