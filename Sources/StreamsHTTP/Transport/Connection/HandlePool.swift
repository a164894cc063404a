/// A pool of easy handles. To create one costs more than a small request.
///
/// A handle is used again only for requests with the same key, so that no option of another request is left in it. Only
/// the engine's thread uses the pool.
final class HandlePool {
    private static let capacity = 256

    private let poller: SocketPoller
    private let configuration: CurlTransport.Configuration
    @exclusivity(unchecked) private var share: CurlShare?
    @exclusivity(unchecked) private var connectionReuse = ConnectionReuse()
    @exclusivity(unchecked) private var handles: [CurlHandle] = []

    init(_ poller: SocketPoller, _ configuration: CurlTransport.Configuration) {
        self.poller = poller
        self.configuration = configuration
    }

    /// Takes a handle out of the pool, or creates one.
    func take(for key: HandleKey) throws(TransportFailure) -> CurlHandle {
        if let index = handles.lastIndex(where: { $0.key == key }) { return handles.remove(at: index) }
        try key.connection.check(proxy: key.proxyURL)
        let reusesConnections =
            key.opensConnection
            || connectionReuse.allows(key.connection, proxy: key.proxyURL, isByHTTP1: key.isByHTTP1)
        return try CurlHandle(key, poller, runningShare(), configuration, reusesConnections: reusesConnections)
    }

    private func runningShare() throws(TransportFailure) -> CurlShare {
        if let share { return share }
        let created = try CurlShare()
        share = created
        return created
    }

    /// Puts a handle into the pool whose transfer has ended without a failure.
    func put(_ handle: CurlHandle) {
        // The key of a request with a body contains its length, and few lengths are equal.
        guard !handle.key.hasBody else { return }
        if handles.count == Self.capacity { handles.removeFirst() }
        handles.append(handle)
    }

    /// Releases all handles. All connections must be closed then.
    func removeAll() {
        handles = []
        share = nil
        connectionReuse = ConnectionReuse()
    }
}
