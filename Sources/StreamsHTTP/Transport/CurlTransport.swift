#if canImport(CLibcurl)
/// A transport on the system's libcurl, which opens its connections and encrypts them. The transport itself speaks
/// HTTP/1.1 and HTTP/2 on them.
///
/// A transport has one engine or several, each with a thread that delivers the events of its exchanges. All exchanges
/// with one server, or by one proxy in clear text, have the same engine. A thread starts with the first exchange of its
/// engine, and ends when the transport has been released and its exchanges are over. Connections are kept and used again
/// by the exchanges of one transport.
///
/// HTTP/2 is offered to https servers in the TLS handshake; see ``RequestOptions/Connection/ProtocolPolicy``. A server
/// that selects HTTP/1.1, or requires it for a request (`HTTP_1_1_REQUIRED`), gets no other offer for ten minutes.
///
/// An engine uses at most one core, which performs about 40,000 small requests per second without TLS. With several
/// (``Configuration/engineCount``), the requests to different servers use as many cores. The limits of a transport hold
/// for all of its engines together.
public final class CurlTransport: HTTPTransport {
    /// The options of a transport.
    public struct Configuration: Hashable, Sendable {
        /// The maximum number of connections to one host, or `nil` for no limit. Further exchanges wait for a
        /// connection or, by HTTP/2, for a stream of one.
        public var maxConnectionsPerHost: Int?
        /// The maximum number of idle connections, at least 1; the oldest are closed. `nil` keeps those that exchanges
        /// have used, until they are too old or descriptors are short.
        public var maxIdleConnections: Int?
        /// The longest time for which an idle connection may be used again. By HTTP/1.1, it is shorter if the server
        /// announces less by `Keep-Alive: timeout`. When the transport has had no exchange for so long, it closes all
        /// connections.
        public var maxIdleTime: Duration
        /// The longest time after its establishment for which a connection takes further requests; `nil` for no limit. It
        /// bounds how long a change of a name's addresses, or of a certificate, goes unnoticed. Requests under way on an
        /// older connection continue.
        public var maxConnectionAge: Duration?
        /// The longest time for which the contents of a file of certificate authorities are kept in memory, in whole
        /// seconds; `nil` for no limit, zero to read it for each connection. A server that resumes a TLS session is not
        /// verified again. libcurl before 7.87 reads the file for each connection, and every version a directory.
        public var maxTrustRootsAge: Duration?
        /// The number of file descriptors that connections leave to the rest of the process; `nil` is an eighth of the
        /// process's soft limit (`RLIMIT_NOFILE`).
        ///
        /// If fewer are free, idle connections are closed, and further exchanges wait for a connection. An exchange
        /// that has waited for its connect timeout, while no other of the transport has ended, fails with
        /// ``HTTPError/Connection/resourceExhausted``. A transport may always have one connection for each eight
        /// descriptors of the reserve, and at least one. It runs at most one name lookup at once for each four
        /// descriptors of the reserve, at least one and at most 32.
        public var reservedDescriptors: Int?
        /// The maximum number of engines, from 1 to 64; values outside count as the nearest of these. `nil` is one for each
        /// four cores that the process may use, at least 1 and at most 8.
        ///
        /// An engine is a thread, and all exchanges with one server have the same. More than one is of use if requests go
        /// to several servers, and if they take more than a core. A limit of processor time, as a container may have,
        /// does not count as a number of cores.
        public var engineCount: Int?

        /// Creates a configuration; the properties describe the parameters.
        public init(
            maxConnectionsPerHost: Int? = nil, maxIdleConnections: Int? = nil, maxIdleTime: Duration = .seconds(90),
            maxConnectionAge: Duration? = .seconds(600), maxTrustRootsAge: Duration? = .seconds(600),
            reservedDescriptors: Int? = nil, engineCount: Int? = nil
        ) {
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.maxIdleConnections = maxIdleConnections
            self.maxIdleTime = maxIdleTime
            self.maxConnectionAge = maxConnectionAge
            self.maxTrustRootsAge = maxTrustRootsAge
            self.reservedDescriptors = reservedDescriptors
            self.engineCount = engineCount
        }
    }

    /// The libcurl that the process runs with: its version, features and limitations.
    public static var runtime: Runtime { .current }

    /// A transport with the default configuration that the process shares. It is the default of clients and services.
    public static let shared = CurlTransport()

    let engines: Locked<EngineSet>

    /// Creates a transport with connections of its own. Its threads start with the first exchanges.
    ///
    /// - Parameter configuration: The options.
    public init(configuration: Configuration = Configuration()) {
        engines = Locked(EngineSet(configuration))
    }

    deinit {
        for engine in engines.withLock({ $0.running }) { engine.post(.retire) }
    }

    public var connections: [OriginConnections] {
        let counts = engines.withLock { $0.running }.flatMap(\.connections.counts)
        // An origin can have connections of its own, and others by a proxy, of another engine.
        return Array(Dictionary(counts.map { ($0.origin, $0) }) { $0.merging($1) }.values)
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        do throws(TransportFailure) {
            let origin = request.lazyURL.origin
            let route = Route(request, origin: origin)
            let engine = try engine(for: route)
            let exchange = Exchange(request, to: origin, by: route, receiver: receiver, engine)
            if exchange.allowsHTTP2 { exchange.requiresHTTP1 = engine.http1Origins.contains(request) }
            engine.post(.start(exchange))
            return exchange
        } catch {
            receiver.receive(.failed(error))
            return FailedExchange()
        }
    }

    /// Returns the engine that performs the exchanges of a route, and starts it if necessary.
    func engine(for route: Route) throws(TransportFailure) -> TransportEngine {
        try engines.withLock { engines in
            Result { () throws(TransportFailure) in try engines.engine(for: route.destination) }
        }.get()
    }
}

/// An exchange that could not be started.
private struct FailedExchange: TransportExchange {
    func allow(bytes: Int) {}
    func abort() {}
}

extension TransportRequest {
    /// Whether the exchange may be by HTTP/2: negotiated over TLS, with prior knowledge in clear text.
    var allowsHTTP2: Bool {
        guard !isUpgrade, !isSecure || CurlTransport.Runtime.current.features.contains(.http2) else { return false }
        return switch connection.protocolPolicy {
        case .http1: false
        case .http2: true
        case .automatic: isSecure
        }
    }
}
#endif
