#if canImport(CLibcurl)
import CLibcurl

/// A connection that libcurl has opened for exchanges that the transport performs itself.
///
/// In clear text it is a socket, and libcurl has nothing to do with it any more. With TLS, libcurl encrypts and
/// decrypts, and its handle remains. Only the engine's thread uses a connection.
final class TransportConnection {
    /// The socket.
    let descriptor: CInt
    let route: Route
    /// The options that it was opened with.
    private let options: RequestOptions.Connection
    /// The time at which it was opened.
    let openTime: MonotonicTime
    /// The measurements of its opening.
    let metrics: TransportEvent.Metrics
    private let tls: TLSHandle?
    private let poller: SocketPoller
    private let hostLimit: HostLimit
    /// The exchange that uses the connection.
    @exclusivity(unchecked) var exchange: Exchange?
    /// The exchanges that share the connection, if it speaks HTTP/2.
    @exclusivity(unchecked) var session: HTTP2Session?
    /// Whether an exchange has used the connection before.
    @exclusivity(unchecked) var isReused = false
    /// The time for which the server announces to keep the connection while it is idle, less a margin; `nil` if it
    /// announces none.
    @exclusivity(unchecked) private(set) var announcedIdleTime: Duration?
    /// The time since which it has been idle.
    @exclusivity(unchecked) var idleSince: MonotonicTime
    /// The time from which it is too old for another exchange, while it is idle.
    @exclusivity(unchecked) var expiry: MonotonicTime
    /// Bytes that have been received and not been consumed.
    @exclusivity(unchecked) private var unread: [UInt8] = []
    @exclusivity(unchecked) private(set) var isClosed = false

    /// libcurl's handle of a connection with TLS, and the multi handle that it must stay in.
    struct TLSHandle {
        let handle: CurlHandle
        let multi: MultiHandle
    }

    init(
        _ descriptor: CInt, _ tls: TLSHandle?, for exchange: Exchange, metrics: TransportEvent.Metrics,
        _ poller: SocketPoller, _ hostLimit: HostLimit, now: MonotonicTime
    ) {
        self.descriptor = descriptor
        self.tls = tls
        route = exchange.route
        options = exchange.request.connection
        self.metrics = metrics
        self.poller = poller
        self.hostLimit = hostLimit
        openTime = now
        idleSince = now
        expiry = now
    }

    /// Whether libcurl encrypts and decrypts. TLS decrypts whole records, so that bytes can be ready although the
    /// socket is not.
    var isEncrypted: Bool { tls != nil }

    /// Returns whether an exchange can use the connection, when it is idle or shared.
    func serves(_ exchange: Exchange) -> Bool {
        speaksVersion(of: exchange) && isNewEnough(for: exchange) && route == exchange.route
            && options.sharesConnections(with: exchange.request.connection)
    }

    /// Returns whether an exchange that needs a new connection can use this one: those that lost theirs at once share one.
    private func isNewEnough(for exchange: Exchange) -> Bool {
        !exchange.request.requiresNewConnection || session != nil && openTime >= exchange.startTime
    }

    /// Returns whether the server speaks a version of HTTP that an exchange may use, and has not just refused it.
    private func speaksVersion(of exchange: Exchange) -> Bool {
        guard let session else { return !exchange.requiresHTTP2 }
        return exchange.allowsHTTP2 && session !== exchange.avoidedSession
    }

    /// Records the timeout that the last response announces.
    ///
    /// A request that is sent while the server closes the connection fails, unless it can be repeated. So the connection is
    /// closed before, as by Node and Apache HttpClient; curl and Go wait for the server. The server's time begins before
    /// the response arrives, so the connection is used for a second less, or for half of a shorter time.
    func noteTimeout(in head: HTTPResponse<Void>) {
        announcedIdleTime = head.headers.keepAliveTimeout.map { max($0 - .seconds(1), $0 / 2) }
    }

    /// Closes the connection.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        session?.sayGoodbye()
        session = nil
        poller.release(descriptor)
        hostLimit.giveBack(route.destination)
        if let tls {
            tls.multi.remove(tls.handle.easy)
        } else {
            _ = poller.closeSocket(descriptor)
        }
    }
}

// MARK: Bytes

extension TransportConnection {
    /// Receives bytes.
    ///
    /// - Returns: The number of bytes; zero if the peer has closed the connection, `nil` if there are none now.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(TransportFailure) -> Int? {
        if let tls {
            var count = 0
            let code = curl_easy_recv(tls.handle.easy, buffer.baseAddress, buffer.count, &count)
            if code == 0 { return count }
            if code == CInt(CurlAgain) { return nil }
            throw TransportFailure(curl: code, tls.handle.takeErrorText(), .receiveFailed)
        }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count >= 0 { return count }
        let code = errno
        if code == EAGAIN || code == EINTR { return nil }
        throw TransportFailure(system: code, .transfer(.receiveFailed))
    }

    /// Sends bytes.
    ///
    /// - Returns: The number of bytes that were taken; `nil` if none can be taken now.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TransportFailure) -> Int? {
        if let tls {
            var count = 0
            let code = curl_easy_send(tls.handle.easy, bytes.baseAddress, bytes.count, &count)
            if code == 0 { return count }
            if code == CInt(CurlAgain) { return nil }
            throw TransportFailure(curl: code, tls.handle.takeErrorText(), .sendFailed)
        }
        let count = streams_send(descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return count }
        let code = errno
        if code == EAGAIN || code == EINTR { return nil }
        throw TransportFailure(system: code, .transfer(.sendFailed))
    }

    /// Whether the peer has neither sent anything nor closed the connection. Whatever is there before a request is not
    /// its response.
    var isSilent: Bool {
        if tls != nil {
            var byte: UInt8 = 0
            return withUnsafeMutableBytes(of: &byte) { buffer in (try? receive(into: buffer)) == .some(.none) }
        }
        return streams_is_silent(descriptor) != 0
    }

    /// Keeps bytes that have not been consumed.
    func keep(_ bytes: UnsafeRawBufferPointer) {
        if !bytes.isEmpty { unread.append(contentsOf: bytes) }
    }

    /// Moves the bytes that were kept to the start of a buffer.
    ///
    /// - Returns: The bytes.
    func takeKept(to buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        buffer.copyBytes(from: unread)
        defer { unread.removeAll(keepingCapacity: false) }
        return UnsafeRawBufferPointer(rebasing: buffer[..<unread.count])
    }

    /// Whether bytes have been kept.
    var hasKept: Bool { !unread.isEmpty }
}
#endif
