#if canImport(CLibcurl)
import CLibcurl

/// What libcurl performs: an exchange, or the opening of a connection for one that it does not perform.
// Safe because the window is atomic, and only the engine's thread uses the other variables. So exclusivity checks, some
// eighty per request, are unnecessary.
final class CurlTransfer: @unchecked Sendable {
    let request: TransportRequest
    let route: Route
    /// The receiver of the exchange's events; `nil` if the transfer opens a connection.
    private let receiver: (any TransportReceiver)?
    /// The exchange that the transfer opens a connection for.
    let openingExchange: Exchange?
    private let engine: TransportEngine?
    @exclusivity(unchecked) private var poller: SocketPoller?
    @exclusivity(unchecked) private var isReady = false
    /// The socket of the connection, once it has been ready.
    @exclusivity(unchecked) private var socket: CInt?

    /// The position in the loop's list of transfers, or `nil` if it is not in the list.
    @exclusivity(unchecked) var index: Int?
    @exclusivity(unchecked) private(set) var handle: CurlHandle?
    @exclusivity(unchecked) private var headerList: CurlHeaderList?
    /// The multi handle that the handle has been added to.
    @exclusivity(unchecked) private(set) var multi: MultiHandle?

    private let window: ReadWindow
    @exclusivity(unchecked) private var timing: ExchangeTiming
    @exclusivity(unchecked) var connecting: CurlConnecting
    @exclusivity(unchecked) private var resendGuard = ResendGuard()
    @exclusivity(unchecked) private var rateCheck: RateCheck
    @exclusivity(unchecked) private var upload: BodyUpload
    @exclusivity(unchecked) private var download: CurlDownload
    @exclusivity(unchecked) private(set) var isAborted = false
    /// Whether libcurl's data is discarded. Data that was accepted before is still delivered.
    @exclusivity(unchecked) private var isDiscarding = false
    /// Whether the server has chosen HTTP/1.1, which libcurl does not speak for further exchanges.
    @exclusivity(unchecked) private var hasFallenBack = false
    /// Whether libcurl may hold back a part of the body although the transfer is not paused.
    @exclusivity(unchecked) private var isDraining = false
    /// Whether libcurl has paused the transfer and has not been told to resume. The window may be open already.
    @exclusivity(unchecked) private(set) var isHeld = false
    /// The event of a connection that the receiver has not been told of.
    @exclusivity(unchecked) private var connection: TransportEvent?
    @exclusivity(unchecked) private var ownFailure: TransportFailure?
    /// Whether libcurl was about to send the request again although there was a response.
    @exclusivity(unchecked) private var isAnswered = false
    /// Whether HTTP/2 is offered to the server, if the transfer opens a connection.
    @exclusivity(unchecked) var offersHTTP2 = false

    /// Creates a transfer, either with a receiver, or with an exchange for which it opens a connection. There is no
    /// engine if a loop is run by hand.
    init(
        _ request: TransportRequest, receiver: (any TransportReceiver)? = nil, _ engine: TransportEngine? = nil,
        opensConnectionFor exchange: Exchange? = nil
    ) {
        self.request = request
        route = exchange?.route ?? Route(request)
        self.receiver = receiver
        self.engine = engine
        openingExchange = exchange
        window = ReadWindow(request.window)
        timing = exchange?.timing ?? ExchangeTiming(request)
        connecting = CurlConnecting(request, route)
        download = CurlDownload(request.headLimits, engine?.chunkPool ?? ChunkPool())
        rateCheck = RateCheck(exchange == nil ? request.minimumRate : nil)
        upload = BodyUpload(request.body)
    }

    /// Allows more bytes of the body to be delivered. Can be called from any thread.
    func grant(_ bytes: Int) {
        if window.allow(bytes: bytes) { engine?.post(.resumeReceiving(.curl(self))) }
    }
}

// MARK: Called by the loop

extension CurlTransfer {
    var easy: OpaquePointer? { handle?.easy }

    /// Opens the body and sets up a handle.
    ///
    /// The handle belongs to the transfer until ``dispose(to:)``.
    func prepare(
        _ handlePool: HandlePool, _ poller: SocketPoller, _ lookups: NameLookups
    ) throws(TransportFailure) {
        self.poller = poller
        connecting.use(lookups)
        if openingExchange == nil, !request.body.isEmpty { try upload.open(onReadable: onReadable) }
        let key = key
        let handle = try handlePool.take(for: key)
        handle.transfer = self
        handle.errorText.pointee = 0
        self.handle = handle
        guard openingExchange == nil else { return try handle.begin(request) }
        let headers = CurlHeaderList(request.headers, hasBody: key.hasBody, codings: request.offeredCodings)
        headerList = headers
        try handle.begin(request, headers)
    }

    private var key: HandleKey {
        guard openingExchange == nil else { return HandleKey(opening: request, route, offersHTTP2: offersHTTP2) }
        return HandleKey(request, route, bodyLength: upload.isPresent ? upload.length ?? -1 : nil)
    }

    /// Adds the handle to libcurl's.
    func add(to multi: MultiHandle) throws(TransportFailure) {
        guard let easy else { return }
        if openingExchange == nil { try multi.add(easy) } else { try multi.add(opening: easy) }
        self.multi = multi
    }

    /// Releases the handle and the body. The loop has removed the handle before.
    ///
    /// - Parameter handlePool: The pool for the handle, or `nil` if the handle must not be used again.
    func dispose(to handlePool: HandlePool? = nil) {
        if let pausedSocket { poller?.setReadingPaused(false, of: pausedSocket) }
        if let handle = handle.take() {
            handle.end()
            handle.transfer = nil
            if !request.requiresNewConnection, !connecting.needsNewConnection, !hasFallenBack {
                handlePool?.put(handle)
            }
        }
        headerList?.deallocate()
        headerList = nil
        upload.close()
    }

    /// Discards the data that libcurl buffers for a paused transfer. Releases before 8.2 leak it, up to 32 MiB, when
    /// the handle of an HTTP/2 stream is removed.
    func discardBacklog() {
        // A granted window may not have reached libcurl yet.
        guard isHeld, let easy else { return }
        isDiscarding = true
        curl_easy_pause(easy, 0)
    }

    /// Returns the metrics so far, or `nil` if they are not wanted or the handle has been released.
    func measured() -> ExchangeMetrics? {
        guard request.wantsMetrics, !isAborted, let easy else { return nil }
        return ExchangeMetrics(measuredBy: easy)
    }

    /// Whether the handle has been added to libcurl's.
    var isAdded: Bool { multi != nil }

    /// Removes the handle from libcurl's, which leaves its connection to others.
    ///
    /// - Returns: Whether it was one of them.
    @discardableResult
    func detach() -> Bool {
        guard let multi = multi.take(), let easy else { return false }
        let socket = openingExchange == nil ? activeSocket : nil
        multi.remove(easy)
        if let socket { multi.readAgain(socket) }
        leaveConnection()
        return true
    }

    private func leaveConnection() {
        guard let poller else { return }
        connecting.endExchange(poller, for: ObjectIdentifier(self), version: download.head?.version)
    }

    /// Records that the connection is open, for versions that do not announce it.
    ///
    /// - Returns: The measurements.
    func noticeOpened() -> ExchangeMetrics {
        if !timing.isConnected { noticeConnection(localPort: nil) }
        return easy.map { ExchangeMetrics(measuredBy: $0) } ?? ExchangeMetrics(total: .zero)
    }

    /// The socket of the connection, if it is open.
    var activeSocket: CInt? {
        var descriptor: CInt = -1
        guard let easy, streams_curl_get_socket(easy, CurlInfoActiveSocket, &descriptor) == 0 else { return nil }
        return descriptor < 0 ? nil : descriptor
    }

    /// Takes the handle of a connection with TLS, which stays in its multi handle.
    func takeHandle() -> TransportConnection.TLSHandle? {
        guard let handle, let multi = multi.take() else { return nil }
        handle.transfer = nil
        self.handle = nil
        leaveConnection()
        return TransportConnection.TLSHandle(handle: handle, multi: multi)
    }

    /// Whether the handle can be removed without waiting for the resolver.
    var isRemovable: Bool { !timing.isResolving }

    /// Stops the transfer. Nothing is delivered afterwards.
    func abort() {
        isAborted = true
        upload.cancel()
        download.content.discard()
    }

    func resumeReceiving(now: MonotonicTime) {
        // The window can have been used up since the command was posted. Then libcurl stays paused.
        guard !window.isPaused else { return }
        timing.restart(now: now)
        isHeld = false
        isDraining = download.head?.version == .http2
        if let pausedSocket { poller?.setReadingPaused(false, of: pausedSocket) }
        unpause()
    }

    func resumeSending(now: MonotonicTime) {
        guard upload.resume() else { return }
        timing.restart(now: now)
        unpause()
    }

    private func unpause() {
        guard !isAborted, index != nil, let easy else { return }
        var directions = upload.isPaused ? CInt(CurlPauseSending.rawValue) : 0
        if window.isPaused {
            directions |= CInt(CurlPauseReceiving.rawValue)
        } else if CurlTransport.Runtime.current.readsAfterPausingAgain, upload.isOver {
            // With sending paused, too, nothing is read if the transfer is paused again by what libcurl holds back.
            curl_easy_pause(easy, directions | CInt(CurlPauseSending.rawValue))
            if isHeld { return }
        }
        curl_easy_pause(easy, directions)
    }

    /// Returns the next timeout and its time, or `nil` if there is none.
    func deadline(now: MonotonicTime) -> (timeout: HTTPError.Timeout, at: MonotonicTime)? {
        guard !isAborted else { return nil }
        let deadline = timing.deadline(now: now, isPaused: upload.isPaused || isHeld)
        guard let end = rateCheck.deadline, deadline.map({ end < $0.at }) ?? true else { return deadline }
        return (.minimumRate, end)
    }

    /// Records the activity of an iteration of the loop.
    ///
    /// - Returns: Whether another timeout applies from now on.
    func settle(now: MonotonicTime) -> Bool {
        let isTimed = timing.settle(now: now)
        guard rateCheck.isEnabled else { return isTimed }
        return rateCheck.update(stage, now: now, byteCount: byteCount) || isTimed
    }

    /// Records activity, and schedules a delivery at the end of the loop's iteration.
    private func noteActivity() {
        timing.noteActivity()
        poller?.noteProgress()
        if let current = poller?.currentSocket { socket = current }
        guard !isReady, let poller else { return }
        isReady = true
        poller.addReady(self)
    }

    /// Delivers the data that the callbacks have collected.
    func deliver() {
        isReady = false
        guard !isAborted else { return }
        if let connection = connection.take() { receiver?.receive(connection) }
        if let progress = upload.takeProgress() { receiver?.receive(progress) }
        if let head = download.takeHead() { receiver?.receive(.head(head)) }
        while let chunk = download.content.takeChunk() { receiver?.receive(chunk) }
        if isHeld, let activeSocket { multi?.readAgain(activeSocket) }
        drain()
    }

    /// Returns the event that ends the exchange.
    ///
    /// - Parameter code: libcurl's result.
    func outcome(_ code: CInt) -> TransportEvent {
        if !CurlTransport.Runtime.current.announcesConnections, let easy, isPastConnecting(easy) { timing.connected() }
        if let ownFailure { return .failed(ownFailure) }
        if isAnswered { return .finished }
        if code != 0, connecting.shortage == .descriptor { return .failed(.resourceExhausted) }
        if code != 0 {
            let text = handle.map { String(cString: $0.errorText) } ?? ""
            guard TransportFailure.isEndOfStream(curl: code, text: text) else {
                return .failed(
                    TransportFailure(
                        curl: code, text: text, refusedAddress: connecting.refusedAddress,
                        isConnected: timing.isConnected, isInHead: download.isInHead, isHTTP: download.isHTTP,
                        hasHead: download.head != nil))
            }
            guard download.head != nil else { return .failed(.responseLost) }
        }
        let shortcoming = download.shortcoming(inAnswerTo: request.method)
        return shortcoming.map { .failed(TransportFailure($0)) } ?? .finished
    }

    /// Makes libcurl deliver the rest of what it holds back for an HTTP/2 stream that was paused.
    ///
    /// When such a stream resumes, 7.88 can deliver a part of it and keep the rest until the connection's socket
    /// becomes ready, which never happens if the peer has sent everything. `curl_easy_pause` does nothing if nothing
    /// changes (curl/curl#9180), so the stream is paused and resumed. Unnecessary from 8.1 on, and harmless.
    private func drain() {
        guard isDraining, !isAborted, index != nil, let easy, !window.isPaused else { return }
        let sending = upload.isPaused ? CInt(CurlPauseSending.rawValue) : 0
        curl_easy_pause(easy, sending | CInt(CurlPauseReceiving.rawValue))
        curl_easy_pause(easy, sending)
    }

    private var onReadable: @Sendable () -> Void {
        { [weak self] in
            guard let self else { return }
            engine?.post(.resumeSending(.curl(self)))
        }
    }

    /// Delivers the remaining data and the event that ends the exchange.
    ///
    /// - Parameter metrics: The metrics, if the handle has been released.
    func end(_ event: TransportEvent, metrics: ExchangeMetrics? = nil) {
        let metrics = metrics ?? measured()
        deliver()
        // The handle may not be removable yet, but does not need the body.
        upload.close()
        guard !isAborted else { return }
        isAborted = true
        if case .finished = event, let trailers = download.trailers { receiver?.receive(.trailers(trailers)) }
        if let metrics { receiver?.receive(.metrics(metrics)) }
        receiver?.receive(event)
    }
}

// MARK: Called by libcurl

extension CurlTransfer {
    func readHeader(_ line: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted else { return line.count }
        do throws(HTTPError.Reason) {
            try download.readHeader(line, inAnswerTo: request)
            if download.head?.version.major == 1 { fallBack() }
            return line.count
        } catch {
            return fail(error)
        }
    }

    /// Records that the server speaks HTTP/1.1 although HTTP/2 was offered.
    private func fallBack() {
        guard !hasFallenBack, request.connection.protocolPolicy == .automatic, !request.isByHTTP1, let handle,
            CurlTransport.Runtime.current.closesOpenedConnections
        else { return }
        hasFallenBack = true
        engine?.http1Origins.insert(request)
        // Later exchanges have no use for the connection.
        try? handle.closeConnectionAfterwards()
    }

    func readBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted, !isDiscarding else { return 0 }
        guard download.head != nil else { return fail(.transfer(.notHTTP)) }
        if download.content.isEncoded { return decodeBody(bytes) }
        guard window.isOpen() else { return pause() }
        window.spend(bytes.count)
        download.content.append(bytes)
        return bytes.count
    }

    private func decodeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        do {
            return try download.decodeBody(bytes, within: window) ? bytes.count : pause()
        } catch {
            return fail(error)
        }
    }

    /// Makes libcurl keep the bytes that it has passed, until the transfer is resumed.
    private func pause() -> Int {
        isHeld = true
        if let pausedSocket { poller?.setReadingPaused(true, of: pausedSocket) }
        return CurlWritePause
    }

    /// The socket that is not read while the transfer is paused, in versions that would read it. Over HTTP/2, other
    /// transfers use it, too.
    private var pausedSocket: CInt? {
        CurlTransport.Runtime.current.watchesPausedTransfers && download.head?.version != .http2 ? socket : nil
    }

    func writeBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted, upload.isPresent else { return CurlReadAbort }
        switch upload.read(into: buffer) {
        case .bytes(let count):
            return count
        case .waiting:
            return CurlReadPause
        case .end:
            return 0
        case .failed(let error):
            _ = fail(.thrown(error, by: .body))
            return CurlReadAbort
        }
    }

    /// Restarts the body, which libcurl sends again on another connection.
    func rewindBody() -> Bool {
        guard allowsSending() else { return false }
        do {
            return try upload.rewind(onReadable: onReadable)
        } catch {
            _ = fail(error.reason)
            return false
        }
    }

    func startResolving() -> CInt {
        guard !isAborted, allowsSending() else { return 1 }
        timing.beganResolving()
        noteActivity()
        guard !connecting.beginLookup() else { return 0 }
        timing.refusedLookup()
        return 1
    }

    /// Opens a socket, unless the transfer has been aborted or the address is not allowed. Then libcurl tries the
    /// name's next address.
    func openSocket(_ address: UnsafeMutableRawPointer) -> CInt {
        guard allowsSending() else { return CInt(CurlBadSocket) }
        timing.openedSocket()
        resendGuard.openedSocket()
        noteActivity()
        guard !isAborted, let poller else { return CInt(CurlBadSocket) }
        return connecting.openSocket(address, poller, for: ObjectIdentifier(self)) ?? CInt(CurlBadSocket)
    }

    /// Records that there is a connection, on which libcurl is about to send the request.
    ///
    /// - Parameter localPort: The local port of the connection; `nil` if the version does not tell.
    /// - Returns: Whether libcurl may send it.
    func connected(localPort: CInt? = nil) -> Bool {
        guard allowsSending() else { return false }
        if let localPort, let poller,
            !connecting.mayUseConnection(localPort: localPort, isNew: resendGuard.isConnectionNew, poller)
        {
            return false
        }
        resendGuard.begin()
        noticeConnection(localPort: localPort)
        return true
    }

    /// Records the state of the connection, for versions that do not announce it.
    ///
    /// - Returns: Whether libcurl may continue.
    func noticeProgress() -> Bool {
        // A proxy's response to CONNECT comes before.
        guard let easy, isPastConnecting(easy) else { return true }
        if !timing.isConnected { noticeConnection(localPort: nil) }
        return resendGuard.hasChangedConnection(easy) ? connected() : true
    }

    private func noticeConnection(localPort: CInt?) {
        if let poller {
            let isReused = connecting.connected(poller, for: ObjectIdentifier(self), localPort: localPort)
            if openingExchange == nil { connecting.beginExchange(poller, isReused: isReused) }
        }
        timing.connected()
        if request.wantsMetrics, let easy { connection = ExchangeMetrics.connection(of: easy) }
        noteActivity()
    }

    private func isPastConnecting(_ easy: OpaquePointer) -> Bool {
        ExchangeMetrics.offset(CurlInfoPretransferTime, of: easy) > 0
    }

    /// Returns whether libcurl may send the request, or connect to do so. Otherwise the transfer ends.
    private func allowsSending() -> Bool {
        // libcurl repeats a request without its `Expect` after 417 (Expectation Failed), and discards the body.
        isAnswered = download.head != nil
        guard !isAnswered else { return false }
        guard let handle, !resendGuard.allowsSending(handle.easy, errorText: handle.errorText) else { return true }
        _ = fail(.transfer(.reusedConnectionLost))
        return false
    }

    /// Fails the transfer with a reason that libcurl does not know.
    private func fail(_ reason: HTTPError.Reason) -> Int {
        fail(TransportFailure(reason))
    }

    private func fail(_ failure: TransportFailure) -> Int {
        ownFailure = ownFailure ?? failure
        return 0
    }
}

// MARK: Limits

extension CurlTransfer {
    /// Returns the resource that the transfer was refused, if it can be started again when there is one.
    func takeShortage(now: MonotonicTime) -> CurlConnecting.Shortage? {
        guard connecting.shortage != nil, !isAborted, ownFailure == nil, rewindBody() else { return nil }
        // A later failure is judged by its own description.
        handle?.errorText.pointee = 0
        let shortage = connecting.takeShortage(now: now)
        if shortage == .descriptor { timing.refusedSocket() }
        return shortage
    }

    /// The stage that the rate is measured in, or `nil` if the transfer does not wait for bytes of the peer.
    private var stage: RateCheck.Stage? {
        guard timing.isConnected, !upload.isPaused, !isHeld else { return nil }
        if !upload.isOver { return .sending }
        return download.head != nil || download.isInHead ? .receiving : nil
    }

    private func byteCount() -> Int64 {
        easy.map(ExchangeMetrics.byteCount) ?? 0
    }

    /// Compares the rate with the minimum, if a period is over.
    func judgeRate(now: MonotonicTime) {
        if rateCheck.isEnabled { rateCheck.judge(now: now, byteCount: byteCount) }
    }

    /// Measures the rate anew, because the process did not run for a while.
    func restartRate(now: MonotonicTime) {
        if rateCheck.isEnabled { rateCheck.restart(now: now, byteCount: byteCount) }
    }
}
#endif
