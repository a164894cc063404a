#if canImport(CLibcurl)
import CStreams

/// An exchange that the transport performs itself: the request and its response on a connection.
// Safe because the window is atomic, and only the engine's thread uses the other variables. So exclusivity checks are
// unnecessary.
final class Exchange: @unchecked Sendable {
    /// The number of bytes that are left in a body from which it is received straight into the memory that is passed
    /// on.
    private static let leastDirectCount: Int64 = 64 * 1024
    /// The number of times in a row that a connection is read for one exchange, before others have their turn.
    private static let maxReadCount = 16

    let request: TransportRequest
    /// The origin of the server.
    let origin: String
    let route: Route
    private let receiver: any TransportReceiver
    let engine: TransportEngine?
    private let window: ReadWindow
    /// The position in the list of exchanges, or `nil` if it is not in the list.
    @exclusivity(unchecked) var index: Int?
    /// The transfer that opens a connection for the exchange.
    @exclusivity(unchecked) var opening: CurlTransfer?
    /// Whether the transfer waits for a lookup or a descriptor.
    @exclusivity(unchecked) var isOpeningHeld = false
    @exclusivity(unchecked) private(set) var connection: TransportConnection?
    @exclusivity(unchecked) private(set) var isOver = false

    private let startTime = MonotonicTime.now
    @exclusivity(unchecked) private(set) var timing: ExchangeTiming
    @exclusivity(unchecked) private var rateCheck: RateCheck
    @exclusivity(unchecked) private var upload: BodyUpload
    /// The sending of the request, once there is a connection.
    @exclusivity(unchecked) private var sending: RequestSending?
    @exclusivity(unchecked) private var parser: ResponseParser
    @exclusivity(unchecked) private var content: ResponseContent
    /// The head, until it is delivered.
    @exclusivity(unchecked) private var head: HTTPResponse<Void>?
    /// Whether the window is used up, so that the connection is not read.
    @exclusivity(unchecked) private(set) var isPaused = false
    /// Whether bytes of the response have been received.
    @exclusivity(unchecked) private var hasReceived = false
    @exclusivity(unchecked) private var attachTime: MonotonicTime?
    @exclusivity(unchecked) private var firstByteTime: MonotonicTime?

    /// - Parameters:
    ///   - request: The request.
    ///   - receiver: The receiver of the exchange's events.
    ///   - engine: The engine that performs it; `nil` if a loop is run by hand.
    init(_ request: TransportRequest, receiver: any TransportReceiver, _ engine: TransportEngine? = nil) {
        self.request = request
        self.engine = engine
        origin = request.lazyURL.origin
        route = Route(request, origin: origin)
        self.receiver = receiver
        window = ReadWindow(request.window)
        timing = ExchangeTiming(request)
        rateCheck = RateCheck(request.minimumRate)
        upload = BodyUpload(request.body)
        parser = ResponseParser(request)
        content = ResponseContent(engine?.chunkPool ?? ChunkPool())
    }

    /// Whether the exchange waits for a connection.
    var isWaiting: Bool { !isOver && connection == nil }

    /// Allows more bytes of the body to be delivered. Can be called from any thread.
    func grant(_ bytes: Int) {
        if window.allow(bytes: bytes) { engine?.post(.resumeReceiving(.own(self))) }
    }
}

// MARK: The connection

extension Exchange {
    /// Opens the content of the request.
    func openBody() throws(TransportFailure) {
        guard !request.body.isEmpty else { return }
        try upload.open { [weak self] in
            guard let self else { return }
            engine?.post(.resumeSending(.own(self)))
        }
    }

    /// Begins to wait until a connection is opened.
    func beginConnecting() {
        timing.beganConnecting()
    }

    /// Begins to use a connection.
    func attach(_ connection: TransportConnection, now: MonotonicTime) {
        self.connection = connection
        connection.exchange = self
        opening = nil
        timing.connected()
        sending = RequestSending(
            RequestWriter(request, upload, form: route.targetForm), isUpgrade: request.isUpgrade, now: now)
        guard request.wantsMetrics else { return }
        attachTime = .now
        receiver.receive(
            .connected(isReused: connection.isReused, remoteAddress: connection.metrics.remoteAddress))
    }

    /// Leaves the connection.
    func detach() {
        if let head = parser.head { connection?.noteTimeout(in: head) }
        connection?.exchange = nil
        connection = nil
    }

    /// Whether the connection can be used for another exchange after the response.
    var keepsConnection: Bool {
        guard let sending, let connection else { return false }
        return parser.keepsConnection && sending.isOver && !connection.hasKept && !request.requiresNewConnection
            && !request.headers.hasListElement("close", of: "Connection")
    }

    /// The version of the response; `nil` if there is none.
    var version: HTTPVersion? { parser.head?.version }

    /// The readiness of the socket that the exchange waits for.
    var interest: CInt {
        let reading = isPaused ? 0 : CInt(PollerIn)
        return sending?.waitsForRoom ?? false ? reading | CInt(PollerOut) : reading
    }

    /// Returns the failure of an exchange whose connection was lost.
    ///
    /// A server that closes a connection on which a request is sent may have processed it (RFC 9112, section 9.3.1).
    private func lost(_ failure: TransportFailure) -> TransportFailure {
        guard parser.headSize == 0 else { return failure }
        guard connection?.isReused ?? false else { return sending?.failure ?? failure }
        return TransportFailure(.transfer(.reusedConnectionLost), underlying: failure.underlying)
    }
}

// MARK: Sending

extension Exchange {
    /// Whether the request has a part that can be sent and has not been asked for.
    var canSend: Bool { sending?.canSend ?? false }

    /// Whether the request could not be sent.
    var hasSendFailure: Bool { sending?.failure != nil }

    /// Sends as much of the request as there is and the connection takes.
    func send(_ buffer: UnsafeMutableRawBufferPointer) throws(TransportFailure) {
        guard let connection else { return }
        if try sending?.send(on: connection, buffer) ?? false { timing.noteActivity() }
        // There may be much to read, but nothing more is sent.
        if request.isUpgrade, hasSendFailure { sending?.close() }
    }

    func resumeSending(now: MonotonicTime) -> Bool {
        guard sending?.resume() ?? false else { return false }
        timing.restart(now: now)
        return true
    }

    /// The end of the wait for 100 (Continue), if it is waited for.
    var continueDeadline: MonotonicTime? { sending?.continueDeadline }

    /// Stops waiting for 100 (Continue) if it has taken too long.
    ///
    /// - Returns: Whether there is content to send now.
    func endContinue(now: MonotonicTime) -> Bool { sending?.endWait(now: now) ?? false }
}

// MARK: Receiving

extension Exchange {
    /// The state of an exchange after its connection was read.
    enum Progress {
        case incomplete
        /// The response is complete.
        case complete
        /// The connection may have more bytes, which others should not have to wait for.
        case interrupted
    }

    /// Receives what the connection has, as far as the window allows.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(TransportFailure) -> Progress {
        guard let connection else { return .incomplete }
        var input = connection.takeKept(to: buffer)
        defer { connection.keep(input) }
        var isEmptied = false
        for _ in 0..<Self.maxReadCount {
            let isConsumed = try consume(&input)
            if isConsumed, parser.isComplete { return .complete }
            guard isConsumed, parser.head == nil || window.isOpen() else {
                isPaused = true
                return .incomplete
            }
            if isEmptied { return .incomplete }
            let count: Int?
            (count, isEmptied) = try read(connection, after: &input, buffer)
            guard let count else {
                if let failure = sending?.failure { throw lost(failure) }
                return .incomplete
            }
            guard count > 0 else { return try end() }
            noteReceived()
        }
        return .interrupted
    }

    /// Reads the connection once.
    ///
    /// - Returns: The number of bytes, as ``TransportConnection/receive(into:)`` returns it, and whether there are no
    ///   more.
    private func read(
        _ connection: TransportConnection, after input: inout UnsafeRawBufferPointer,
        _ buffer: UnsafeMutableRawBufferPointer
    ) throws(TransportFailure) -> (count: Int?, isEmptied: Bool) {
        if input.isEmpty, !content.isEncoded, parser.contentAhead > Self.leastDirectCount {
            return try readContent(connection)
        }
        buffer.copyMemory(from: input)
        let room = UnsafeMutableRawBufferPointer(rebasing: buffer[input.count...])
        // The limits of lines are below the size of the buffer.
        guard !room.isEmpty else { throw TransportFailure(.transfer(.headTooLarge)) }
        let count = try receive(into: room, from: connection)
        input = UnsafeRawBufferPointer(rebasing: buffer[..<(input.count + (count ?? 0))])
        return (count, !connection.isEncrypted && count ?? 0 < room.count)
    }

    /// Reads content straight into the memory that is passed on.
    private func readContent(
        _ connection: TransportConnection
    ) throws(TransportFailure) -> (count: Int?, isEmptied: Bool) {
        var result: Int?
        var room = 0
        let count = try content.append(upTo: parser.contentAhead) { memory throws(TransportFailure) in
            room = memory.count
            result = try receive(into: memory, from: connection)
            return result ?? 0
        }
        window.spend(count)
        parser.consume(content: count)
        return (result, !connection.isEncrypted && count < room)
    }

    private func receive(
        into memory: UnsafeMutableRawBufferPointer, from connection: TransportConnection
    ) throws(TransportFailure) -> Int? {
        do throws(TransportFailure) {
            return try connection.receive(into: memory)
        } catch {
            throw lost(error)
        }
    }

    private func noteReceived() {
        timing.noteActivity()
        hasReceived = true
        if request.wantsMetrics, firstByteTime == nil { firstByteTime = .now }
    }

    /// Consumes bytes as far as they can be parsed and the window allows.
    ///
    /// - Returns: Whether the window allowed all.
    private func consume(_ input: inout UnsafeRawBufferPointer) throws(TransportFailure) -> Bool {
        guard try content.decodeRest(within: window) else { return false }
        while let part = try nextPart(of: &input) {
            switch part {
            case .head(let head):
                self.head = head
                content.codings = head.decodedCodings(inAnswerTo: request)
                if head.status == .switchingProtocols { switchProtocols() }
            case .content(let count):
                var bytes = UnsafeRawBufferPointer(rebasing: input[..<count])
                let isConsumed = try consume(content: &bytes)
                let consumedCount = count - bytes.count
                parser.consume(content: consumedCount)
                input = UnsafeRawBufferPointer(rebasing: input[consumedCount...])
                guard isConsumed else { return false }
            }
        }
        if parser.hasContinue { sending?.releaseContent() }
        if parser.head != nil { sending?.endWait() }
        return true
    }

    /// Sends and receives without a framing from now on. How long the peer may keep silent is the protocol's matter.
    private func switchProtocols() {
        content.codings = []
        sending?.releaseContent()
        timing.endIdleTimeout()
    }

    private func consume(content bytes: inout UnsafeRawBufferPointer) throws(TransportFailure) -> Bool {
        guard !content.isEncoded else { return try content.decode(&bytes, within: window) }
        window.spend(bytes.count)
        content.append(bytes)
        bytes = UnsafeRawBufferPointer(rebasing: bytes[bytes.endIndex...])
        return true
    }

    private func nextPart(of input: inout UnsafeRawBufferPointer) throws(TransportFailure) -> ResponseParser.Part? {
        do throws(HTTPError.Reason) {
            return try parser.next(&input)
        } catch {
            throw TransportFailure(error)
        }
    }

    /// Ends the response with the connection.
    private func end() throws(TransportFailure) -> Progress {
        do throws(HTTPError.Reason) {
            try parser.end()
            return .complete
        } catch {
            throw lost(TransportFailure(error))
        }
    }

    /// Returns whether the connection is to be read again: bytes have been granted meanwhile.
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
        if let progress = sending?.takeProgress() { receiver.receive(progress) }
        if let head = head.take() { receiver.receive(.head(head)) }
        while let chunk = content.takeChunk() { receiver.receive(chunk) }
    }

    /// The event that ends an exchange whose response is complete.
    var completion: TransportEvent {
        guard let head = parser.head, content.isComplete(in: head) else {
            return .failed(TransportFailure(.transfer(.bodyEndedEarly)))
        }
        return .finished
    }

    /// Delivers the rest, and the event that ends the exchange.
    ///
    /// - Parameter metrics: The metrics, if they are wanted.
    func end(_ event: TransportEvent, metrics: ExchangeMetrics?) {
        deliver()
        close()
        guard !isOver else { return }
        isOver = true
        if case .finished = event, let trailers = parser.trailers { receiver.receive(.trailers(trailers)) }
        if let metrics { receiver.receive(.metrics(metrics)) }
        receiver.receive(event)
    }

    /// Ends the exchange without an event.
    func abort() {
        isOver = true
        close()
        content.discard()
    }

    private func close() {
        sending?.close()
        upload.close()
    }

    /// Returns the metrics so far; `nil` if they are not wanted.
    ///
    /// - Parameter failed: The metrics of a connection that could not be opened.
    func measured(_ failed: ExchangeMetrics? = nil) -> ExchangeMetrics? {
        guard request.wantsMetrics, !isOver else { return nil }
        let now = MonotonicTime.now
        guard let connection else { return failed ?? ExchangeMetrics(total: now - startTime) }
        let pretransfer = attachTime.map { $0 - startTime }
        var metrics = ExchangeMetrics(total: now - startTime)
        if !connection.isReused {
            // libcurl measures from the time at which it began to open the connection.
            let delay = max((pretransfer ?? .zero) - connection.metrics.total, .zero)
            metrics.nameLookup = connection.metrics.nameLookup.map { $0 + delay }
            metrics.connect = connection.metrics.connect.map { $0 + delay }
            metrics.tlsHandshake = connection.metrics.tlsHandshake.map { $0 + delay }
        }
        metrics.pretransfer = pretransfer
        metrics.remoteAddress = connection.metrics.remoteAddress
        metrics.isConnectionReused = connection.isReused
        metrics.version = version
        metrics.firstByte = firstByteTime.map { $0 - startTime }
        metrics.requestSize = Int64(sending?.headSize ?? 0)
        metrics.headerSize = Int64(parser.headSize)
        metrics.bytesSent = bytesSent
        metrics.bytesReceived = bytesReceived
        return metrics
    }

    private var bytesSent: Int64 { sending?.byteCount ?? 0 }
    private var bytesReceived: Int64 { Int64(parser.headSize) + content.received }
}

// MARK: Timeouts

extension Exchange {
    /// Returns the next timeout and its time, or `nil` if there is none.
    func deadline(now: MonotonicTime) -> (timeout: HTTPError.Timeout, at: MonotonicTime)? {
        // The transfer has the timeout of the connection that it opens.
        guard opening == nil else { return nil }
        let isHeld = isPaused || sending?.isPaused ?? false
        let deadline = timing.deadline(now: now, isPaused: isHeld)
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
        guard let sending, !sending.isPaused, !isPaused else { return nil }
        if !sending.isOver { return .sending }
        return hasReceived ? .receiving : nil
    }

    private func byteCount() -> Int64 { bytesSent + bytesReceived }
}
#endif
