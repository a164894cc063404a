import CLibcurl

/// Carries exchanges with the system's libcurl, on one thread for all of them.
///
/// The thread starts with the first exchange and ends when the transport is dropped and its exchanges are over, so a
/// transport can be made and dropped at will. Connections are kept and reused among the exchanges of one transport.
///
/// Events are delivered on that thread. A request without a body that starts while nothing else is under way is sent by the
/// thread that starts it, which takes less time than to wake the other.
public final class CurlTransport: HTTPTransport {
    /// What holds for all exchanges of a transport.
    public struct Configuration: Hashable, Sendable {
        /// How many connections one host may have; further exchanges wait for one. `nil` is without limit.
        public var maxConnectionsPerHost: Int?
        /// How many connections that nobody uses are kept, at least 1; the oldest are closed. `nil` is enough for as many
        /// exchanges as there have been at once since the transport was last idle for ``maxIdleTime``.
        public var maxIdleConnections: Int?
        /// How long connections nobody uses are kept for use again. One that has been idle for longer, in whole seconds, is
        /// not used again; when the transport as a whole has been idle for so long, all are closed.
        public var maxIdleTime: Duration

        /// By default a host may have any number of connections, and one that nobody uses is kept for a minute and a half.
        public init(
            maxConnectionsPerHost: Int? = nil, maxIdleConnections: Int? = nil, maxIdleTime: Duration = .seconds(90)
        ) {
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.maxIdleConnections = maxIdleConnections
            self.maxIdleTime = maxIdleTime
        }
    }

    /// The version of libcurl that is used, with those of its TLS and compression libraries.
    public static var libraryVersion: String { String(cString: curl_version()) }

    /// One transport for the whole process, with the default configuration: what services use unless they say otherwise.
    public static let shared = CurlTransport()

    private let configuration: Configuration
    private let engine = Locked<CurlEngine?>(nil)

    /// A transport with connections of its own. Nothing runs before its first exchange.
    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    deinit {
        engine.withLock { $0 }?.retire()
    }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let transfer = CurlTransfer(request, receiver: receiver)
        do {
            let engine = try runningEngine()
            transfer.engine = engine
            engine.start(transfer)
        } catch {
            receiver.receive(.failed(error))
        }
        return CurlExchange(transfer)
    }

    private func runningEngine() throws(TransportFailure) -> CurlEngine {
        let found = engine.withLock { engine -> Result<CurlEngine, TransportFailure> in
            // A fork leaves the thread behind: the child starts one of its own.
            if let engine, engine.process == ProcessGeneration.current { return .success(engine) }
            return Result { () throws(TransportFailure) in
                let started = try CurlEngine(configuration)
                engine = started
                return started
            }
        }
        return try found.get()
    }
}

/// A handle on one transfer. Dropping it does not end the transfer.
private struct CurlExchange: TransportExchange {
    private let transfer: CurlTransfer

    init(_ transfer: CurlTransfer) {
        self.transfer = transfer
    }

    func grant(_ bytes: Int) {
        transfer.grant(bytes)
    }

    func abort() {
        transfer.engine?.post(.abort(transfer))
    }
}
