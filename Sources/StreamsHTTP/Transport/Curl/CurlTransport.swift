import CLibcurl

/// Carries exchanges with the system's libcurl, on one thread for all of them.
///
/// The thread starts with the first exchange and ends when the transport is dropped and its exchanges are over, so a
/// transport can be made and dropped at will. Connections are kept and reused among the exchanges of one transport.
///
/// Events are delivered on that thread. A request without a body that starts while nothing else is under way is sent by the
/// thread that starts it, and so does not wait for the other to wake. Where a task does nothing but await it, and answers
/// have been coming at once, its events are delivered there too; see ``Configuration/maxCallerWait``.
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
        /// For how long the thread of a task that awaits an answer may be kept, in whole milliseconds: where the transport has
        /// nothing else to do, and the last answer of which that was true came within a fourth of this. The task then has its
        /// answer without two other threads being woken on the way, which takes as long as such an answer or longer. An
        /// answer that does not come so soon after all comes as any other does.
        ///
        /// The thread may be the main one, where a task of the main actor awaits; every so often the task is suspended
        /// nonetheless, so that others have their turn. While its thread is kept, neither a cancellation nor a time limit
        /// of the request as a whole lets go of it. `.zero` keeps no thread.
        public var maxCallerWait: Duration

        /// By default a host may have any number of connections, one that nobody uses is kept for a minute and a half, and a
        /// task's thread for a millisecond, or not at all where there is but one processor.
        public init(
            maxConnectionsPerHost: Int? = nil, maxIdleConnections: Int? = nil, maxIdleTime: Duration = .seconds(90),
            maxCallerWait: Duration? = nil
        ) {
            self.maxConnectionsPerHost = maxConnectionsPerHost
            self.maxIdleConnections = maxIdleConnections
            self.maxIdleTime = maxIdleTime
            self.maxCallerWait = maxCallerWait ?? Self.usualCallerWait
        }

        /// With one processor, whoever keeps its thread keeps all other tasks from theirs.
        private static let usualCallerWait: Duration =
            sysconf(CInt(_SC_NPROCESSORS_ONLN)) > 1 ? .milliseconds(1) : .zero
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
            // There is nothing more to be done for it then.
            if engine.start(transfer) { transfer.engine = nil }
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
