import CLibcurl
import Synchronization

/// One exchange on libcurl: a handle of its own, never used again, and what its callbacks have seen.
final class CurlTransfer: @unchecked Sendable {
    // Safe because everything but `engine` (set before the transfer is posted), `credit` and `isReceivePaused`
    // (atomic) belongs to the engine's thread.

    let request: TransportRequest
    private let receiver: any TransportReceiver
    var engine: CurlEngine?
    private var reactor: CurlReactor?
    private var isReady = false

    /// Where the transfer stands in the loop's list.
    var place: Int?
    private(set) var easy: OpaquePointer?
    private var headerList: UnsafeMutablePointer<CurlList>?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: 256)

    private let credit: Atomic<Int>
    private let isReceivePaused = Atomic<Bool>(false)
    private(set) var isAborted = false
    private var isResolving = false
    private var isConnected = false
    private var wasConnected = false
    private var isConnecting = false
    private var connectingSince: ContinuousClock.Instant?
    private var isSendPaused = false
    /// Whether nobody takes any more of the body, although the end is still to be told of.
    private var isDiscarding = false
    /// Whether libcurl may hold back a part of the body although it is not paused.
    private var isDraining = false
    private var lastActivity = ContinuousClock.now
    /// Whether bytes have moved since the loop looked last; cheaper than asking for the time with each of them.
    private var hasBeenActive = false

    private var body: (any BodySource)?
    /// Outlives the body, for the last that is told of it.
    private var bodyLength: Int64?
    private var hasReadBody = false
    private var sent: Int64 = 0
    private var toldSent: Int64 = 0
    private var parser = HeadParser()
    private var head: HTTPResponse<Void>?
    private var isHeadTold = false
    private var isDecoding = false
    private var pending = Data()
    private var received: Int64 = 0
    private var ownFailure: TransportFailure?

    init(_ request: TransportRequest, receiver: any TransportReceiver) {
        self.request = request
        self.receiver = receiver
        credit = Atomic(request.window)
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
    /// Allows so many more bytes.
    func grant(_ bytes: Int) {
        credit.add(bytes, ordering: .sequentiallyConsistent)
        guard isReceivePaused.load(ordering: .sequentiallyConsistent) else { return }
        if isReceivePaused.exchange(false, ordering: .sequentiallyConsistent) {
            engine?.post(.resumeReceiving(self))
        }
    }
}

// MARK: For the loop

extension CurlTransfer {
    /// Opens the body and makes the handle ready.
    func prepare(
        _ reactor: CurlReactor, now: ContinuousClock.Instant
    ) throws(TransportFailure) -> OpaquePointer {
        self.reactor = reactor
        lastActivity = now
        try openBody()
        guard let easy = curl_easy_init() else { throw TransportFailure(system: ENOMEM) }
        self.easy = easy
        headerList = try CurlConfiguration(easy: easy).apply(
            request, bodyLength: body.map { $0.length ?? -1 }, errorText: errorText,
            context: Unmanaged.passUnretained(self).toOpaque())
        return easy
    }

    /// Gives the handle and all that belongs to it back. The loop has removed the handle before.
    func dispose() {
        if let easy { curl_easy_cleanup(easy) }
        easy = nil
        if let headerList { curl_slist_free_all(headerList) }
        headerList = nil
        body?.cancel()
        body = nil
    }

    /// Lets go of what libcurl holds back for a paused transfer: releases before 8.2 leak it when a handle of HTTP/2 is
    /// removed, up to 32 MiB each time. With nobody to take it, it is thrown away.
    func discardBacklog() {
        guard isReceivePaused.load(ordering: .relaxed), let easy else { return }
        isDiscarding = true
        curl_easy_pause(easy, 0)
    }

    /// Whether the handle can be removed: to remove one that is resolving would wait for the resolver.
    var isRemovable: Bool { !isResolving }

    /// Delivers nothing from now on.
    func abort() {
        isAborted = true
        body?.cancel()
        pending = Data()
    }

    func resumeReceiving(now: ContinuousClock.Instant) {
        lastActivity = now
        isDraining = head?.version == .http2
        unpause()
    }

    func resumeSending(now: ContinuousClock.Instant) {
        guard isSendPaused else { return }
        isSendPaused = false
        lastActivity = now
        unpause()
    }

    private func unpause() {
        guard !isAborted, place != nil, let easy else { return }
        var directions = isSendPaused ? CInt(CurlPauseSending.rawValue) : 0
        if isReceivePaused.load(ordering: .relaxed) { directions |= CInt(CurlPauseReceiving.rawValue) }
        curl_easy_pause(easy, directions)
    }

    /// What will have taken too long, and when; `nil` where nothing is limited.
    func deadline(now: ContinuousClock.Instant) -> (timeout: HTTPError.Timeout, at: ContinuousClock.Instant)? {
        guard !isAborted else { return nil }
        guard isConnected else {
            // Waiting for a connection that others use is not connecting.
            if isConnecting, connectingSince == nil { connectingSince = now }
            return request.connectTimeout.map { (.connect, (connectingSince ?? now) + $0) }
        }
        guard let limit = request.idleTimeout else { return nil }
        // While it is not the peer's turn the clock starts anew with every look at it.
        if isSendPaused || isReceivePaused.load(ordering: .relaxed) { lastActivity = now }
        return (.idle, lastActivity + limit)
    }

    /// Takes note of what a turn of the loop has brought.
    ///
    /// - Returns: Whether another limit holds from now on.
    func settle(now: ContinuousClock.Instant) -> Bool {
        guard hasBeenActive else { return false }
        hasBeenActive = false
        lastActivity = now
        defer { wasConnected = isConnected }
        return isConnected != wasConnected
    }

    /// Notes that there are news: something to deliver, or another limit that holds from now on.
    private func noteActivity() {
        hasBeenActive = true
        guard !isReady, let reactor else { return }
        isReady = true
        reactor.add(self)
    }

    /// Hands over what the callbacks have gathered.
    func deliver() {
        isReady = false
        guard !isAborted else { return }
        if sent > toldSent {
            toldSent = sent
            receiver.receive(.sent(sent, of: bodyLength))
        }
        if let head, !isHeadTold {
            isHeadTold = true
            receiver.receive(.head(head))
        }
        if !pending.isEmpty {
            updateReceived()
            let chunk = pending
            pending = Data()
            receiver.receive(.chunk(chunk, received: received))
            drain()
        }
    }

    /// What the transfer came to, by libcurl's word and ours.
    func outcome(_ code: CInt) -> TransportEvent {
        if let ownFailure { return .failed(ownFailure) }
        guard code == 0 else {
            return .failed(
                TransportFailure(
                    curl: code, text: String(cString: errorText), isConnected: isConnected,
                    isInHead: head == nil && parser.hasBegun))
        }
        updateReceived()
        // libcurl lets a head pass that was cut off before its end.
        guard let head else {
            return .failed(TransportFailure(.transfer(parser.hasBegun ? .receiveFailed : .notHTTP)))
        }
        // And a body of HTTP/2 whose stream was reset as if it were complete.
        if let length = head.contentLength(inAnswerTo: request.method), length != received {
            return .failed(TransportFailure(.transfer(.bodyEndedEarly)))
        }
        return .finished
    }

    /// Has libcurl look again at what it holds back for a stream of HTTP/2 that was paused: 7.88 can take a part of it
    /// when the stream goes on and leave the rest until the socket has news, which it never has once the peer is
    /// done. Only a change of what is paused makes it look.
    private func drain() {
        guard isDraining, !isAborted, place != nil, let easy, !isReceivePaused.load(ordering: .relaxed) else { return }
        let sending = isSendPaused ? CInt(CurlPauseSending.rawValue) : 0
        curl_easy_pause(easy, sending | CInt(CurlPauseReceiving.rawValue))
        curl_easy_pause(easy, sending)
    }

    private func openBody() throws(TransportFailure) {
        do {
            body = try request.body.open { [weak self] in
                guard let self else { return }
                engine?.post(.resumeSending(self))
            }
            bodyLength = body?.length
        } catch {
            throw TransportFailure(.body(error))
        }
    }

    /// How much of the body has come over the wire, which is not what was written where it is decoded on the way.
    private func updateReceived() {
        guard isDecoding, let easy else { return }
        streams_curl_get_offset(easy, CurlInfoBytesReceived, &received)
    }

    /// Delivers what is left and then the end.
    func end(_ event: TransportEvent) {
        deliver()
        guard !isAborted else { return }
        isAborted = true
        receiver.receive(event)
    }
}

// MARK: For libcurl's callbacks

extension CurlTransfer {
    func readHeader(_ line: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        // What looks like a head after the head is a trailer.
        guard !isAborted, head == nil else { return line.count }
        switch parser.consume(line, url: request.url) {
        case .incomplete:
            return line.count
        case .complete(let head):
            self.head = head
            isDecoding = request.connection.decodesContent && head.headers.contains("Content-Encoding")
            return line.count
        case .tooLarge:
            return fail(.transfer(.headTooLarge))
        case .contradictory:
            return fail(.transfer(.protocolError))
        }
    }

    func readBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted, !isDiscarding else { return 0 }
        guard credit.load(ordering: .relaxed) > 0 || !pauseReceiving() else { return CurlWritePause }
        credit.subtract(bytes.count, ordering: .relaxed)
        received += Int64(bytes.count)
        pending.append(contentsOf: bytes)
        return bytes.count
    }

    /// Marks the transfer as paused, unless bytes have been granted meanwhile.
    private func pauseReceiving() -> Bool {
        isReceivePaused.store(true, ordering: .sequentiallyConsistent)
        guard credit.load(ordering: .sequentiallyConsistent) > 0 else { return true }
        // Whoever granted them and saw the mark has posted a command that finds nothing to do.
        isReceivePaused.store(false, ordering: .sequentiallyConsistent)
        return false
    }

    func writeBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        noteActivity()
        guard !isAborted, let body else { return Int(CurlReadAbort) }
        hasReadBody = true
        switch body.read(into: buffer) {
        case .bytes(let count):
            sent += Int64(count)
            return count
        case .waiting:
            isSendPaused = true
            return CurlReadPause
        case .end:
            if let declared = body.length, declared != sent {
                return abortSending(BodyLengthMismatch(declared: declared, actual: sent))
            }
            return 0
        case .failed(let error):
            return abortSending(error)
        }
    }

    private func abortSending(_ error: any Error) -> Int {
        _ = fail(.body(error))
        return CurlReadAbort
    }

    /// Starts the body over, for libcurl wants to send it on another connection.
    func rewindBody() -> Bool {
        guard hasReadBody else { return true }
        guard request.body.isReplayable else { return false }
        body?.cancel()
        do {
            try openBody()
        } catch {
            _ = fail(error.reason)
            return false
        }
        sent = 0
        return true
    }

    func startResolving() -> CInt {
        isResolving = true
        isConnecting = true
        return isAborted ? 1 : 0
    }

    /// Opens a socket, if a connection is still wanted.
    func openSocket(_ address: UnsafeMutableRawPointer) -> CInt {
        isResolving = false
        isConnecting = true
        guard !isAborted else { return CInt(CurlBadSocket) }
        let descriptor = streams_curl_socket(address)
        reactor?.opened(descriptor)
        return descriptor
    }

    func connected() {
        isResolving = false
        isConnected = true
        noteActivity()
    }

    /// Makes the transfer end with a failure of ours.
    private func fail(_ reason: HTTPError.Reason) -> Int {
        ownFailure = ownFailure ?? TransportFailure(reason)
        return 0
    }
}
