import Dispatch

/// Records what another transport does, for a ``ReplayTransport`` to do again without a network.
///
/// ```swift
/// let recording = try RecordingTransport(wrapping: CurlTransport(), into: "Recordings/login")
/// let client = HTTPClient(configuration: configuration, transport: recording)
/// // ... requests ...
/// try await recording.finish()
/// ```
///
/// Every exchange is written when it ends, on a queue of its own. What is named by ``Redaction`` is left out before. An
/// exchange is held in memory until it has been written, or as long as the transport where that writes none.
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

    /// A transport that keeps its recording in memory; see ``session``.
    ///
    /// - Parameters:
    ///   - base: What carries the exchanges.
    ///   - redaction: What must not stand in the recording.
    public init(wrapping base: any HTTPTransport, redaction: Redaction = Redaction()) {
        self.base = base
        self.redaction = redaction
        path = nil
    }

    /// A transport that also writes its recording.
    ///
    /// - Parameters:
    ///   - base: What carries the exchanges.
    ///   - path: The path of the session's folder, which is made if need be; see ``RecordedSession``.
    ///   - redaction: What must not stand in the recording.
    /// - Throws: ``FileError`` where the folder cannot be made.
    public init(
        wrapping base: any HTTPTransport, into path: String, redaction: Redaction = Redaction()
    ) throws {
        self.base = base
        self.redaction = redaction
        self.path = path
        try RecordedSession.begin(in: path, redaction: redaction)
    }

    /// The exchanges that are over, as far as they are kept in memory: none, where they are written. What has been
    /// written is read with ``RecordedSession/init(path:)`` after ``finish()``.
    public var session: RecordedSession {
        RecordedSession(state.withLock { $0.exchanges }, redaction: redaction)
    }

    /// Waits until all exchanges that are over have been written.
    ///
    /// - Throws: What went wrong first since it was asked last.
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

    public func start(
        _ request: TransportRequest, delivering receiver: any TransportReceiver
    ) -> any TransportExchange {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let tap = BodyTap()
        var tapped = request
        tapped.body = tapped.body.tapped(by: tap)
        let recorder = ExchangeRecorder(number, request, tap: tap, receiver: receiver, redaction: redaction) {
            [self] exchange in keep(exchange)
        }
        recorder.attach(base.start(tapped, delivering: recorder))
        return recorder
    }

    private func keep(_ exchange: RecordedExchange) {
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
