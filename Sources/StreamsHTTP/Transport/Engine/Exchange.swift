#if canImport(CLibcurl)
/// An exchange: a request and its response on a connection.
///
/// It has what does not depend on the version of HTTP. ``HTTP1Messages`` or ``HTTP2Messages`` are its messages, which
/// `Exchange+HTTP1.swift` and `Exchange+HTTP2.swift` send and receive. It is also the caller's handle, whose release does
/// not end the exchange: the engine keeps it until it is over.
// Safe because the window and the wait are atomic, and only the engine's thread uses the other variables. So exclusivity
// checks are unnecessary.
final class Exchange: TransportExchange, @unchecked Sendable {
    let request: TransportRequest
    /// The origin of the server.
    let origin: String
    let route: Route
    private let receiver: any TransportReceiver
    let engine: TransportEngine?
    let window: ReadWindow
    /// The wait for a connection.
    let connectionWait = ExchangeWait()
    /// The waits that have ended, for the metrics.
    @exclusivity(unchecked) var waits: [HTTPRequest.Wait] = []
    /// The position in the list of exchanges, or `nil` if it is not in the list.
    @exclusivity(unchecked) var index: Int?
    /// The opening of a connection for the exchange.
    @exclusivity(unchecked) var opening: ConnectionOpening?
    /// Whether the opening waits for a lookup or a descriptor.
    @exclusivity(unchecked) var isOpeningHeld = false
    @exclusivity(unchecked) private(set) var connection: TransportConnection?
    @exclusivity(unchecked) private(set) var isOver = false

    let startTime = MonotonicTime.now
    @exclusivity(unchecked) var timing: ExchangeTiming
    @exclusivity(unchecked) private var rateCheck: RateCheck
    @exclusivity(unchecked) var upload: BodyUpload
    /// The wait of the content for 100 (Continue) or 101 (Switching Protocols).
    @exclusivity(unchecked) var continueWait = ContinueWait()
    /// The messages, once there is a connection that speaks HTTP/1.1.
    @exclusivity(unchecked) var http1: HTTP1Messages?
    /// The messages, once there is a stream of a connection that speaks HTTP/2.
    @exclusivity(unchecked) var http2: HTTP2Messages?
    /// Whether the request and the runtime allow HTTP/2.
    private let mayUseHTTP2: Bool
    /// Whether the server has been found to speak HTTP/1.1 alone.
    @exclusivity(unchecked) var requiresHTTP1 = false
    /// The number of times that a server has not processed the request.
    @exclusivity(unchecked) var unprocessedCount = 0
    /// The connection whose server has just refused the request, which another one may process.
    @exclusivity(unchecked) weak var avoidedSession: HTTP2Session?
    /// Whether others have used the connection before.
    @exclusivity(unchecked) private(set) var isReused = false
    @exclusivity(unchecked) var content: ResponseContent
    /// The final head of the response; `nil` if there is none.
    @exclusivity(unchecked) private(set) var responseHead: HTTPResponse<Void>?
    /// Whether the head has been delivered.
    @exclusivity(unchecked) private var isHeadDelivered = false
    /// Whether the window is used up, so that the connection is not read.
    @exclusivity(unchecked) var isPaused = false
    /// Whether bytes of the response have been received.
    @exclusivity(unchecked) private var hasReceived = false
    @exclusivity(unchecked) private var attachTime: MonotonicTime?
    @exclusivity(unchecked) private var firstByteTime: MonotonicTime?

    /// - Parameters:
    ///   - request: The request.
    ///   - origin: The origin of the request.
    ///   - route: The route of the request.
    ///   - receiver: The receiver of the exchange's events.
    ///   - engine: The engine that performs it; `nil` if a loop is run by hand.
    init(
        _ request: TransportRequest, to origin: String, by route: Route, receiver: any TransportReceiver,
        _ engine: TransportEngine?
    ) {
        self.request = request
        self.engine = engine
        self.origin = origin
        self.route = route
        self.receiver = receiver
        mayUseHTTP2 = request.allowsHTTP2
        window = ReadWindow(request.window)
        timing = ExchangeTiming(request)
        rateCheck = RateCheck(request.minimumRate)
        upload = BodyUpload(request.body)
        content = ResponseContent(engine?.chunkPool ?? ChunkPool())
    }

    /// Creates an exchange for a loop that is run by hand.
    convenience init(_ request: TransportRequest, receiver: any TransportReceiver) {
        let origin = request.lazyURL.origin
        self.init(request, to: origin, by: Route(request, origin: origin), receiver: receiver, nil)
    }

    /// Whether HTTP/2 may be spoken.
    var allowsHTTP2: Bool { mayUseHTTP2 && !requiresHTTP1 }

    /// Whether only HTTP/2 may be spoken: with prior knowledge, since nothing negotiates it in clear text.
    var requiresHTTP2: Bool { !request.isSecure && allowsHTTP2 }

    /// Whether the exchange waits for a connection.
    var isWaiting: Bool { !isOver && connection == nil }

    func allow(bytes: Int) {
        if window.allow(bytes: bytes) { engine?.post(.resumeReceiving(self)) }
    }

    func abort() {
        engine?.post(.abort(self))
    }
}

// MARK: The connection

extension Exchange {
    /// Opens the content of the request.
    func openBody() throws(TransportFailure) {
        guard !request.body.isEmpty else { return }
        try upload.open(onReadable: onReadable)
    }

    /// Called on any thread when the source of the content has more.
    var onReadable: @Sendable () -> Void {
        { [weak self] in
            guard let self else { return }
            engine?.post(.resumeSending(self))
        }
    }

    /// Begins to wait until a connection is opened.
    func beginConnecting() {
        timing.beganConnecting()
    }

    /// Begins to use a connection.
    func attach(_ connection: TransportConnection, now: MonotonicTime) {
        connection.exchange = self
        http1 = HTTP1Messages(request, upload, form: route.targetForm)
        begin(on: connection, now: now)
    }

    /// Begins to use a connection, on which the messages lie.
    func begin(on connection: TransportConnection, now: MonotonicTime) {
        self.connection = connection
        continueWait = ContinueWait(request, hasContent: upload.isPresent, now: now)
        isReused = connection.isReused
        opening = nil
        endWait()
        timing.connected()
        guard request.wantsMetrics else { return }
        attachTime = .now
        receiver.receive(
            .connected(isReused: isReused, remoteAddress: connection.metrics.remoteAddress))
    }

    /// Leaves the connection.
    func detach() {
        if http2 == nil {
            if let responseHead { connection?.noteTimeout(in: responseHead) }
            connection?.exchange = nil
        }
        http2?.session = nil
        connection = nil
    }

    /// The version of the response; `nil` if there is none.
    var version: HTTPVersion? { responseHead?.version }
}

// MARK: Sending

extension Exchange {
    /// Records that the source of the content has more.
    ///
    /// - Returns: Whether it was waited for.
    func resumeSending(now: MonotonicTime) -> Bool {
        guard upload.resume() else { return false }
        timing.restart(now: now)
        return true
    }
}

// MARK: Receiving

extension Exchange {
    /// Records that bytes of the response have been received.
    func noteReceived() {
        timing.noteActivity()
        hasReceived = true
        if request.wantsMetrics, firstByteTime == nil { firstByteTime = .now }
    }

    /// Receives the final head of the response.
    func receive(head: HTTPResponse<Void>) {
        responseHead = head
        content.codings = head.decodedCodings(inAnswerTo: request)
        // The server may have answered without asking for the content.
        continueWait.abandon()
    }

    /// Consumes content as far as the window allows.
    ///
    /// - Returns: Whether the window allowed all.
    func consume(content bytes: inout UnsafeRawBufferPointer) throws(TransportFailure) -> Bool {
        guard !content.isEncoded else { return try content.decode(&bytes, within: window) }
        window.spend(bytes.count)
        content.append(bytes)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...])
        return true
    }

    /// Returns whether the connection is to be read again: bytes have been allowed meanwhile.
    func resumeReceiving(now: MonotonicTime) -> Bool {
        // The window can have been used up since the command was posted.
        guard isPaused, !window.isPaused else { return false }
        isPaused = false
        timing.restart(now: now)
        return true
    }
}

// MARK: Events

extension Exchange {
    /// Delivers what has been sent and received.
    func deliver() {
        guard !isOver else { return }
        if let progress = upload.takeProgress() { receiver.receive(progress) }
        if !isHeadDelivered, let responseHead {
            isHeadDelivered = true
            receiver.receive(.head(responseHead))
        }
        while let chunk = content.takeChunk() { receiver.receive(chunk) }
    }

    /// The event that ends an exchange whose response is complete.
    var completion: TransportEvent {
        guard let responseHead, content.isComplete(in: responseHead) else {
            return .failed(TransportFailure(.transfer(.bodyEndedEarly)))
        }
        return .finished
    }

    /// Delivers the rest, and the event that ends the exchange.
    ///
    /// - Parameter metrics: The metrics, if they are wanted.
    func end(_ event: TransportEvent, metrics: TransportEvent.Metrics?) {
        deliver()
        endWait()
        upload.close()
        guard !isOver else { return }
        isOver = true
        if case .finished = event, let trailers { receiver.receive(.trailers(trailers)) }
        if let metrics { receiver.receive(.metrics(metrics)) }
        receiver.receive(event)
    }

    /// Ends the exchange without an event. Called on the engine's thread only, by the command that ``abort()`` posts.
    func discard() {
        isOver = true
        endWait()
        upload.close()
        content.discard()
    }

    /// Returns the metrics so far; `nil` if they are not wanted.
    ///
    /// - Parameter failed: The metrics of a connection that could not be opened.
    func measured(_ failed: TransportEvent.Metrics? = nil) -> TransportEvent.Metrics? {
        guard request.wantsMetrics, !isOver else { return nil }
        let now = MonotonicTime.now
        guard let connection else {
            var metrics = failed ?? TransportEvent.Metrics(total: now - startTime)
            metrics.waits = measuredWaits
            return metrics
        }
        let pretransfer = attachTime.map { $0 - startTime }
        var metrics = TransportEvent.Metrics(total: now - startTime)
        metrics.waits = measuredWaits
        if !isReused {
            // libcurl measures from the time at which it began to open the connection.
            let delay = max((pretransfer ?? .zero) - connection.metrics.total, .zero)
            metrics.nameLookup = connection.metrics.nameLookup.map { $0 + delay }
            metrics.connect = connection.metrics.connect.map { $0 + delay }
            metrics.tlsHandshake = connection.metrics.tlsHandshake.map { $0 + delay }
        }
        metrics.pretransfer = pretransfer
        metrics.remoteAddress = connection.metrics.remoteAddress
        metrics.isConnectionReused = isReused
        metrics.version = version
        metrics.firstByte = firstByteTime.map { $0 - startTime }
        metrics.requestSize = Int64(requestHeadSize)
        metrics.headerSize = Int64(responseHeadSize)
        metrics.bytesSent = bytesSent
        metrics.bytesReceived = bytesReceived
        return metrics
    }
}

// MARK: Messages

// The state of the messages, which each version of HTTP keeps in its own way.
extension Exchange {
    /// The size of the heads of the response.
    var responseHeadSize: Int { http1?.parser.headSize ?? http2?.responseHeadSize ?? 0 }

    /// The fields after the content of the response, or `nil` if there are none.
    private var trailers: HTTPHeaders? { http1?.parser.trailers ?? http2?.trailers }

    /// The size of the head of the request.
    private var requestHeadSize: Int { http1?.sending.headSize ?? http2?.headSize ?? 0 }

    /// Whether a part of the request is left to be sent on the connection.
    private var isSending: Bool { !(http1?.sending.isOver ?? http2?.isSent ?? true) }

    private var bytesSent: Int64 { Int64(requestHeadSize) + upload.sent }
    private var bytesReceived: Int64 { Int64(responseHeadSize) + content.received }
}

// MARK: Timeouts

extension Exchange {
    /// Returns the next timeout and its time, or `nil` if there is none.
    func deadline(now: MonotonicTime) -> (timeout: HTTPError.Timeout, at: MonotonicTime)? {
        // The opening has a timeout of its own.
        guard opening == nil else { return nil }
        let deadline = timing.deadline(now: now, isPaused: isPaused || upload.isPaused)
        guard let end = rateCheck.deadline, deadline.map({ end < $0.at }) ?? true else { return deadline }
        return (.minimumRate, end)
    }

    /// Records the activity since the last call.
    ///
    /// - Returns: Whether another timeout applies from now on.
    func settle(now: MonotonicTime) -> Bool {
        let isTimed = timing.settle(now: now)
        guard rateCheck.isEnabled else { return isTimed }
        return rateCheck.update(stage, now: now, byteCount: byteCount) || isTimed
    }

    /// Compares the rate with the minimum, if a period is over.
    func judgeRate(now: MonotonicTime) {
        if rateCheck.isEnabled { rateCheck.judge(now: now, byteCount: byteCount) }
    }

    /// Measures the rate anew, because the process did not run for a while.
    func restartRate(now: MonotonicTime) {
        if rateCheck.isEnabled { rateCheck.restart(now: now, byteCount: byteCount) }
    }

    /// The stage that the rate is measured in, or `nil` if the exchange does not wait for bytes of the peer.
    private var stage: RateCheck.Stage? {
        guard !upload.isPaused, !isPaused else { return nil }
        if isSending { return .sending }
        return hasReceived ? .receiving : nil
    }

    private func byteCount() -> Int64 { bytesSent + bytesReceived }
}
#endif
