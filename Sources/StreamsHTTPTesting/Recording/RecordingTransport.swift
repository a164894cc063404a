import Dispatch
import StreamsHTTP

/// A transport that records the exchanges of another transport for a ``ReplayTransport``.
///
/// ```swift
/// let recording = try RecordingTransport(wrapping: CurlTransport(), into: "Recordings/login")
/// let client = HTTPClient(configuration: configuration, transport: recording)
/// // ... requests ...
/// try await recording.finish()
/// ```
///
/// With a folder, the transport writes each exchange when it ends, on a queue of its own, and then releases it. Without
/// a folder, it keeps its exchanges in memory. A `Redaction` removes secrets first. The body of a request with a
/// `Content-Encoding` is recorded decoded, so that its secrets are found; one that cannot be decoded is hidden.
/// WebSockets are not recorded: their requests go to the other transport as they are.
public final class RecordingTransport: HTTPTransport {
    private struct State {
        var count = 0
        var exchanges: [RecordedExchange] = []
        var failure: (any Error)?
    }

    private let base: any HTTPTransport
    private let path: String?
    private let redaction: Redaction
    private let queue = DispatchQueue(label: "streams.recording")
    private let state = Locked(State())

    /// Creates a transport that keeps its recording in memory; see ``session``.
    ///
    /// - Parameters:
    ///   - base: The transport that carries the exchanges.
    ///   - redaction: The names of the values to leave out.
    public init(wrapping base: any HTTPTransport, redaction: Redaction = Redaction()) {
        self.base = base
        self.redaction = redaction
        path = nil
    }

    /// Creates a transport that writes its recording to a folder.
    ///
    /// - Parameters:
    ///   - base: The transport that carries the exchanges.
    ///   - path: The path of the session's folder, which is created if necessary; see ``RecordedSession``.
    ///   - redaction: The names of the values to leave out.
    /// - Throws: `FileError` if the folder cannot be created or written.
    public init(
        wrapping base: any HTTPTransport, into path: String, redaction: Redaction = Redaction()
    ) throws {
        self.base = base
        self.redaction = redaction
        self.path = path
        try RecordedSession.begin(in: path, redaction: redaction)
    }

    /// The exchanges in memory that are over. Empty for a transport with a folder: read that recording with
    /// ``RecordedSession/init(path:)`` after ``finish()``.
    public var session: RecordedSession {
        RecordedSession(state.withLock { $0.exchanges }, redaction: redaction)
    }

    /// Waits until all exchanges that are over have been written.
    ///
    /// - Throws: The first error of writing since the previous call.
    public func finish() async throws {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
        let failure = state.withLock { state in
            defer { state.failure = nil }
            return state.failure
        }
        if let failure { throw failure }
    }

    public var connections: [OriginConnections] { base.connections }

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        guard !request.isUpgrade else { return base.start(request, delivering: receiver) }
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let recorder = ExchangeRecorder(number, request, receiver: receiver, redaction: redaction) { [self] exchange in
            save(exchange)
        }
        recorder.start(on: base)
        return recorder
    }

    private func save(_ exchange: RecordedExchange) {
        guard let path else { return state.withLock { $0.exchanges.append(exchange) } }
        queue.async { [self] in
            do {
                try RecordedSession.write(exchange, to: path)
            } catch {
                state.withLock { $0.failure = $0.failure ?? error }
            }
        }
    }
}
