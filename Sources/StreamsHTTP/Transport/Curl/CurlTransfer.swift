import CLibcurl

/// One exchange on libcurl: its handle, and what its callbacks have seen.
// Safe because everything but `engine` (set before the transfer is started, and after its end) and `window` (atomic) belongs
// to whoever has the engine's loop. So checks of exclusive access, some eighty for a request, can be spared.
final class CurlTransfer: @unchecked Sendable {
    let request: TransportRequest
    private let receiver: any TransportReceiver
    @exclusivity(unchecked) var engine: CurlEngine?
    @exclusivity(unchecked) private var reactor: CurlReactor?
    @exclusivity(unchecked) private var isReady = false

    /// Where the transfer stands in the loop's list.
    @exclusivity(unchecked) var place: Int?
    @exclusivity(unchecked) private var handle: CurlHandle?
    @exclusivity(unchecked) private var headerList: CurlHeaderList?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

    private let window: CurlWindow
    @exclusivity(unchecked) private var timing: CurlTiming
    @exclusivity(unchecked) private var upload: CurlUpload
    @exclusivity(unchecked) private var download = CurlDownload()
    @exclusivity(unchecked) private(set) var isAborted = false
    /// Whether nothing is taken in any more. What has been taken in is delivered yet, and then the end.
    @exclusivity(unchecked) private var isDiscarding = false
    /// Whether libcurl may hold back a part of the body although it is not paused.
    @exclusivity(unchecked) private var isDraining = false
    /// Whether libcurl has been told to wait, and not yet to go on: the window may be open again already.
    @exclusivity(unchecked) private(set) var isHeld = false
    @exclusivity(unchecked) private var ownFailure: HTTPError.Reason?

    init(_ request: TransportRequest, receiver: any TransportReceiver) {
        self.request = request
        self.receiver = receiver
        window = CurlWindow(request.window)
        timing = CurlTiming(request)
        upload = CurlUpload(request.body)
        errorText.pointee = 0
    }

    deinit {
        dispose()
        errorText.deallocate()
    }

    /// The transfer that a handle belongs to.
    static func owner(of easy: OpaquePointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        guard streams_curl_get_pointer(easy, CurlInfoPrivate, &context) == 0, let context else { return nil }
        return from(context)
    }

    static func from(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged.fromOpaque(context).takeUnretainedValue()
    }
}

// MARK: From any thread

extension CurlTransfer {
    /// Whether any thread may start it. To open a body may take time, or call somebody; and before 7.87 TLS libraries write
    /// to sockets without libcurl, which is a signal where the peer has closed them: the engine's thread blocks it.
    var mayStartAnywhere: Bool { request.body.isEmpty && Self.writesWithoutSignals }

    /// Whether the thread that starts it is to stay, if it need not stay for long.
    var isAwaited: Bool { receiver.isAwaited }

    private static let writesWithoutSignals = curl_version_info(0).map { $0.pointee.number >= 0x075700 } ?? false

    /// Allows so many more bytes.
    func grant(_ bytes: Int) {
        if window.grant(bytes) { engine?.post(.resumeReceiving(self)) }
    }
}

// MARK: For the loop

extension CurlTransfer {
    var easy: OpaquePointer? { handle?.easy }

    /// Opens the body and makes a handle ready.
    ///
    /// - Parameter makesHandle: Whether to make one where none is to be had.
    /// - Returns: The handle, if there is one.
    func prepare(
        _ handles: CurlHandles, _ reactor: CurlReactor, makesHandle: Bool = true
    ) throws(TransportFailure) -> OpaquePointer? {
        self.reactor = reactor
        if !request.body.isEmpty { try upload.open(onReadable: onReadable) }
        let profile = CurlProfile(request, bodyLength: upload.isPresent ? upload.length ?? -1 : nil)
        var found = handles.spare(for: profile)
        if found == nil, makesHandle { found = try handles.make(for: profile) }
        guard let handle = found else { return nil }
        self.handle = handle
        let headers = CurlHeaderList(
            request.headers, hasBody: profile.hasBody, codings: CurlCodings.asked(for: profile))
        headerList = headers
        try CurlConfiguration(easy: handle.easy).begin(
            request, headers, errorText: errorText, context: Unmanaged.passUnretained(self).toOpaque())
        return handle.easy
    }

    /// Gives the handle and all that belongs to it back. The loop has removed the handle before.
    ///
    /// - Parameter handles: Who may use the handle again; `nil` where something is wrong with it.
    func dispose(to handles: CurlHandles? = nil) {
        if let handle = handle.take() {
            CurlConfiguration(easy: handle.easy).end()
            if let handles { handles.giveBack(handle) } else { curl_easy_cleanup(handle.easy) }
        }
        headerList?.deallocate()
        headerList = nil
        upload.close()
    }

    /// Lets go of what libcurl holds back for a paused transfer: releases before 8.2 leak it when a handle of HTTP/2 is
    /// removed, up to 32 MiB each time. With nobody to take it, it is thrown away.
    func discardBacklog() {
        // What was granted may not have reached libcurl yet.
        guard isHeld, let easy else { return }
        isDiscarding = true
        curl_easy_pause(easy, 0)
    }

    /// What the transfer has cost so far, where somebody wants to know and its handle is not gone.
    func measured() -> ExchangeMetrics? {
        guard request.wantsMetrics, !isAborted, let easy else { return nil }
        return ExchangeMetrics(measuredBy: easy)
    }

    /// Whether the handle can be removed: to remove one that is resolving would wait for the resolver.
    var isRemovable: Bool { !timing.isResolving }

    /// Delivers nothing from now on.
    func abort() {
        isAborted = true
        upload.cancel()
        download.discard()
    }

    func resumeReceiving(now: ContinuousClock.Instant) {
        timing.restart(now: now)
        isHeld = false
        isDraining = download.head?.version == .http2
        unpause()
    }

    func resumeSending(now: ContinuousClock.Instant) {
        guard upload.resume() else { return }
        timing.restart(now: now)
        unpause()
    }

    private func unpause() {
        guard !isAborted, place != nil, let easy else { return }
        var directions = upload.isPaused ? CInt(CurlPauseSending.rawValue) : 0
        if window.isPaused { directions |= CInt(CurlPauseReceiving.rawValue) }
        curl_easy_pause(easy, directions)
    }

    /// What will have taken too long, and when; `nil` where nothing is limited.
    func deadline(now: ContinuousClock.Instant) -> (timeout: HTTPError.Timeout, at: ContinuousClock.Instant)? {
        guard !isAborted else { return nil }
        return timing.deadline(now: now, isPaused: upload.isPaused || isHeld)
    }

    /// Takes note of what a turn of the loop has brought.
    ///
    /// - Returns: Whether another limit holds from now on.
    func settle(now: ContinuousClock.Instant) -> Bool {
        timing.settle(now: now)
    }

    /// Notes that there are news: something to deliver, or another limit that holds from now on.
    private func noteActivity() {
        timing.noteActivity()
        guard !isReady, let reactor else { return }
        isReady = true
        reactor.add(self)
    }

    /// Whether the callbacks have gathered something that can be handed over.
    var hasNews: Bool { download.hasNews }

    /// Hands over what the callbacks have gathered.
    func deliver() {
        isReady = false
        guard !isAborted else { return }
        if let progress = upload.takeProgress() { receiver.receive(progress) }
        if let head = download.takeHead() { receiver.receive(.head(head)) }
        guard download.hasBody else { return }
        if let easy { download.measure(easy) }
        while let chunk = download.takeChunk() { receiver.receive(chunk) }
        drain()
    }

    /// What the transfer came to, by libcurl's word and ours.
    func outcome(_ code: CInt) -> TransportEvent {
        if let ownFailure { return .failed(TransportFailure(ownFailure)) }
        guard code == 0 else {
            return .failed(
                TransportFailure(
                    curl: code, text: String(cString: errorText), isConnected: timing.isConnected,
                    isInHead: download.isInHead, isDecoding: download.isDecoding))
        }
        if let easy { download.measure(easy) }
        let shortcoming = download.shortcoming(inAnswerTo: request.method)
        return shortcoming.map { .failed(TransportFailure($0)) } ?? .finished
    }

    /// Has libcurl look again at what it holds back for a stream of HTTP/2 that was paused: 7.88 can take a part of it
    /// when the stream goes on, and leave the rest until the connection's socket has news, which never come once the
    /// peer is done. `curl_easy_pause` does nothing where nothing changes (curl's issue 9180): so a pause, and its end.
    /// From 8.1 on, which buffers streams in another way, there is nothing to take and this does no harm.
    private func drain() {
        guard isDraining, !isAborted, place != nil, let easy, !window.isPaused else { return }
        let sending = upload.isPaused ? CInt(CurlPauseSending.rawValue) : 0
        curl_easy_pause(easy, sending | CInt(CurlPauseReceiving.rawValue))
        curl_easy_pause(easy, sending)
    }

    private var onReadable: @Sendable () -> Void {
        { [weak self] in
            guard let self else { return }
            engine?.post(.resumeSending(self))
        }
    }

    /// Delivers what is left and then the end.
    ///
    /// - Parameter metrics: What the transfer has cost, where its handle is gone.
    func end(_ event: TransportEvent, metrics: ExchangeMetrics? = nil) {
        let metrics = metrics ?? measured()
        deliver()
        // A handle that cannot be removed yet has no use for it.
        upload.close()
        guard !isAborted else { return }
        isAborted = true
        if let metrics { receiver.receive(.metrics(metrics)) }
        receiver.receive(event)
    }
}

// MARK: For libcurl's callbacks

extension CurlTransfer {
    func readHeader(_ line: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted, let reason = download.readHeader(line, inAnswerTo: request) else { return line.count }
        return fail(reason)
    }

    func readBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted, !isDiscarding else { return 0 }
        guard download.head != nil else { return fail(.transfer(.notHTTP)) }
        guard window.admit(bytes.count) else {
            isHeld = true
            return CurlWritePause
        }
        download.readBody(bytes)
        return bytes.count
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
            _ = fail(.body(error))
            return CurlReadAbort
        }
    }

    /// Starts the body over, for libcurl wants to send it on another connection.
    func rewindBody() -> Bool {
        do {
            return try upload.rewind(onReadable: onReadable)
        } catch {
            _ = fail(error.reason)
            return false
        }
    }

    func startResolving() -> CInt {
        timing.beganResolving()
        noteActivity()
        return isAborted ? 1 : 0
    }

    /// Opens a socket, if a connection is still wanted.
    func openSocket(_ address: UnsafeMutableRawPointer) -> CInt {
        timing.openedSocket()
        noteActivity()
        guard !isAborted else { return CInt(CurlBadSocket) }
        let descriptor = streams_curl_socket(address)
        reactor?.opened(descriptor)
        return descriptor
    }

    func connected() {
        timing.connected()
        noteActivity()
    }

    /// Makes the transfer end with a failure of ours.
    private func fail(_ reason: HTTPError.Reason) -> Int {
        ownFailure = ownFailure ?? reason
        return 0
    }
}
