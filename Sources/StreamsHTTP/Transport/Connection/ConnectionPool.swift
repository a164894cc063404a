#if canImport(CLibcurl)
/// The idle connections of an engine.
///
/// The newest is used first, so that those that are not needed any more reach their age. Only the engine's thread uses
/// the pool.
struct ConnectionPool {
    private let configuration: CurlTransport.Configuration
    private let share: EngineShare
    /// The connections by their destinations, the oldest first.
    private var connections: [String: [TransportConnection]] = [:]
    private(set) var count = 0
    /// The time since which the oldest has been idle, if their number is limited.
    private var oldestIdleTime: MonotonicTime?
    /// The connections by HTTP/2 by their destinations, also those that are not idle.
    private var shared: [String: [TransportConnection]] = [:]
    /// The time at which a connection may be too old.
    private(set) var nextExpiry: MonotonicTime?

    init(_ configuration: CurlTransport.Configuration, _ share: EngineShare) {
        self.configuration = configuration
        self.share = share
    }

    /// Adds a connection by HTTP/2, which exchanges share.
    mutating func add(shared connection: TransportConnection) {
        shared[connection.route.destination, default: []].append(connection)
    }

    /// The connections by HTTP/2 to a destination.
    func sharedConnections(to destination: String) -> [TransportConnection] {
        shared.isEmpty ? [] : shared[destination] ?? []
    }

    /// The connections by HTTP/2.
    var sessions: [HTTP2Session] { shared.values.joined().compactMap(\.session) }

    /// Returns whether a connection is too old for another exchange.
    func isTooOld(_ connection: TransportConnection, isIdle: Bool, now: MonotonicTime) -> Bool {
        if isIdle, connection.expiry <= now { return true }
        return configuration.maxConnectionAge.map { connection.openTime + $0 <= now } ?? false
    }

    /// Takes the newest connection for an exchange that can be used.
    mutating func take(for exchange: Exchange, now: MonotonicTime) -> TransportConnection? {
        let destination = exchange.route.destination
        while let connection = removeLast(of: destination, where: { $0.session == nil && $0.serves(exchange) }) {
            if connection.expiry > now, connection.isSilent { return connection }
            connection.close()
        }
        return nil
    }

    /// Keeps a connection for further exchanges, unless it is too old.
    mutating func put(_ connection: TransportConnection, now: MonotonicTime) {
        connection.idleSince = now
        connection.expiry = expiry(of: connection)
        guard connection.expiry > now else { return close(connection) }
        connections[connection.route.destination, default: []].append(connection)
        count += 1
        nextExpiry = min(nextExpiry ?? connection.expiry, connection.expiry)
        oldestIdleTime = oldestIdleTime ?? connection.idleSince
        keepLimit()
    }

    /// Closes the oldest connection if the transport has too many, unless that is another engine's.
    private mutating func keepLimit() {
        guard let limit = configuration.maxIdleConnections else { return }
        let isTooMany = share.isAlone ? count > max(limit, 1) : share.setIdle(count, oldest: oldestIdleTime)
        if isTooMany { closeOldest() }
    }

    /// Closes the connections that are too many because another engine has kept newer ones.
    mutating func closeExcess() {
        guard configuration.maxIdleConnections != nil else { return }
        while share.excessCount > 0, closeOldest() {}
    }

    /// Removes a connection. Does nothing if it is not in the pool.
    mutating func remove(_ connection: TransportConnection) {
        _ = removeLast(of: connection.route.destination) { $0 === connection }
    }

    private mutating func removeLast(
        of destination: String, where condition: (TransportConnection) -> Bool
    ) -> TransportConnection? {
        guard var found = connections.removeValue(forKey: destination) else { return nil }
        let removed = found.lastIndex(where: condition).map { found.remove(at: $0) }
        if !found.isEmpty { connections[destination] = found }
        guard let removed else { return nil }
        count -= 1
        if configuration.maxIdleConnections != nil {
            if removed.idleSince == oldestIdleTime { oldestIdleTime = oldest?.idleSince }
            keepLimit()
        }
        return removed
    }

    /// Closes the connection that has been idle for the longest time.
    ///
    /// - Parameter destination: The destination whose connections are considered, or `nil` for all.
    /// - Returns: Whether there was one.
    @discardableResult
    mutating func closeOldest(of destination: String? = nil) -> Bool {
        guard let found = destination.map({ connections[$0]?.first }) ?? oldest else { return false }
        close(found)
        return true
    }

    /// The connection that has been idle for the longest time.
    private var oldest: TransportConnection? {
        connections.values.lazy.compactMap(\.first).min { $0.idleSince < $1.idleSince }
    }

    /// Closes the connections that are too old.
    mutating func closeExpired(now: MonotonicTime) {
        guard let due = nextExpiry, due <= now else { return }
        for connection in connections.values.joined() where connection.expiry <= now {
            close(connection)
        }
        nextExpiry = connections.values.joined().map(\.expiry).min()
    }

    /// Closes all connections.
    mutating func closeAll() {
        for connection in connections.values.joined() { close(connection) }
        nextExpiry = nil
    }

    /// Closes a connection, and removes it.
    mutating func close(_ connection: TransportConnection) {
        remove(connection)
        if connection.session != nil {
            let destination = connection.route.destination
            shared[destination]?.removeAll { $0 === connection }
            if shared[destination]?.isEmpty ?? false { shared[destination] = nil }
        }
        connection.close()
    }

    private func expiry(of connection: TransportConnection) -> MonotonicTime {
        let announced = connection.announcedIdleTime.map { min($0, configuration.maxIdleTime) }
        let end = connection.idleSince + (announced ?? configuration.maxIdleTime)
        return configuration.maxConnectionAge.map { min(end, connection.openTime + $0) } ?? end
    }
}
#endif
