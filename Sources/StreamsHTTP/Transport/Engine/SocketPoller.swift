#if canImport(CLibcurl)
import CLibcurl
import CStreams

/// Waits for the sockets of libcurl and of connections, and for transfers that have events to deliver.
///
/// Only the engine's thread uses it, except for ``wakeSignal`` and ``connections``. The cost of a wait does not grow
/// with the number of transfers, as it does with libcurl's own polling.
final class SocketPoller {
    private struct Watch {
        /// The multi handle that waits for the socket, if it is libcurl's.
        var multi: MultiHandle?
        /// The connection that the socket belongs to, if libcurl has opened it for one.
        var connection: TransportConnection?
        /// The readiness that is waited for.
        var wanted: CInt = 0
        /// The readiness that the poller watches for.
        var watched: CInt = 0
        /// The origin that the socket was opened to, if it is tracked.
        var origin: String?
        /// The transfer that the socket was opened for, until that has a connection.
        var owner: ObjectIdentifier?
        /// The local port, if the socket has been identified.
        var localPort: CInt = 0
        /// Whether the socket is not read, although libcurl wants to.
        var isPaused = false
        /// The number of times in a row that the socket was ready to be written and libcurl did nothing.
        var fruitlessCount = 0
        /// Whether libcurl is not told that the socket can be written, until ``writePause`` ends or something comes.
        var isWritingPaused = false

        /// Whether the socket is opened and closed through callbacks, so that a reused descriptor is always noticed.
        var isTracked: Bool { origin != nil }

        /// The readiness that is reported to libcurl.
        var effective: CInt {
            let withheld = (isPaused ? CInt(CurlInterestIn) : 0) | (isWritingPaused ? CInt(CurlInterestOut) : 0)
            return wanted & ~withheld
        }
    }

    /// The failure to open a socket.
    struct SocketError: Error {
        let code: CInt

        /// Whether the process or the system lacks a descriptor or memory.
        var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
    }

    /// A socket that is ready.
    enum Event {
        case transfers(of: MultiHandle, CInt, readiness: CInt)
        case connection(TransportConnection, readiness: CInt)
    }

    /// The maximum number of events of a wait.
    static let capacity = 128

    /// Ends a wait. Can be used from any thread.
    let wakeSignal: WakeSignal
    /// The counts of the sockets. Can be used from any thread.
    let connections = ConnectionCounter()
    private let pollDescriptor: CInt
    /// The number of descriptors that are not used for sockets; `nil` is the default.
    private let reservedDescriptors: Int?
    @exclusivity(unchecked) private var watches: [Watch] = []
    /// The identified sockets by their local ports.
    @exclusivity(unchecked) private var socketsByPort: [CInt: CInt] = [:]
    /// The number of open sockets.
    @exclusivity(unchecked) private(set) var socketCount = 0
    private let events: UnsafeMutablePointer<PollerEvent>
    @exclusivity(unchecked) private var readyTransfers: [CurlTransfer] = []
    /// The socket whose readiness is being handled.
    @exclusivity(unchecked) private(set) var currentSocket: CInt?
    /// Whether a transfer has sent or received something since the last event.
    @exclusivity(unchecked) private var hasProgressed = false
    /// The sockets whose writing is paused, and the end of the pause.
    @exclusivity(unchecked) private var writePause: (sockets: [CInt], end: MonotonicTime?) = ([], nil)

    init(reservedDescriptors: Int? = nil) throws(TransportFailure) {
        self.reservedDescriptors = reservedDescriptors
        do {
            wakeSignal = try WakeSignal()
        } catch {
            throw TransportFailure(system: error.code)
        }
        events = .allocate(capacity: Self.capacity)
        pollDescriptor = streams_poller_open()
        guard pollDescriptor >= 0 else { throw TransportFailure(system: errno) }
        guard streams_poller_watch(pollDescriptor, wakeSignal.readable, 0, CInt(PollerIn | PollerEdge)) == 0 else {
            throw TransportFailure(system: errno)
        }
    }

    deinit {
        if pollDescriptor >= 0 { close(pollDescriptor) }
        events.deallocate()
    }

    /// Adds a transfer that has something to deliver.
    func addReady(_ transfer: CurlTransfer) {
        readyTransfers.append(transfer)
    }

    /// Moves the transfers that have something to deliver into an empty array, whose memory is used for the next.
    func takeReady(into transfers: inout [CurlTransfer]) {
        swap(&readyTransfers, &transfers)
    }

    private func withWatch<Result>(_ descriptor: CInt, _ body: (inout Watch) -> Result) -> Result {
        let index = Int(descriptor)
        if index >= watches.count {
            watches.append(contentsOf: repeatElement(Watch(), count: max(index + 1 - watches.count, 64)))
        }
        return body(&watches[index])
    }
}

// MARK: Called by libcurl

extension SocketPoller {
    /// Opens a socket for the argument of libcurl's callback, unless only descriptors of the reserve are left.
    func openSocket(
        _ address: UnsafeMutableRawPointer, to origin: String, for owner: ObjectIdentifier
    ) throws(SocketError) -> CInt {
        let descriptor = streams_curl_socket(address)
        guard descriptor >= 0 else { throw SocketError(code: errno) }
        guard limit.admits(descriptor, connectionCount: socketCount) else {
            close(descriptor)
            throw SocketError(code: EMFILE)
        }
        forget(descriptor)
        withWatch(descriptor) { $0 = Watch(origin: origin, owner: owner) }
        socketCount += 1
        connections.opened(origin)
        return descriptor
    }

    /// Whether another socket could be opened now.
    var hasRoom: Bool { limit.hasRoom(connectionCount: socketCount) }

    private var limit: DescriptorLimit { DescriptorLimit(reserve: reservedDescriptors) }

    /// Closes a socket, which ends its watch.
    func closeSocket(_ descriptor: CInt) -> CInt {
        forget(descriptor)
        return close(descriptor)
    }

    private func forget(_ descriptor: CInt) {
        withWatch(descriptor) { watch in
            if let origin = watch.origin {
                socketCount -= 1
                connections.closed(origin, isConnecting: watch.owner != nil)
            }
            if watch.localPort > 0, socketsByPort[watch.localPort] == descriptor {
                socketsByPort[watch.localPort] = nil
            }
            watch = Watch()
        }
    }

    func watch(_ descriptor: CInt, interest: CInt, for multi: MultiHandle) {
        withWatch(descriptor) { watch in
            let isRemoved = interest == CInt(CurlInterestRemove)
            // The descriptor may be that of another socket by now.
            guard watch.connection == nil, !isRemoved || watch.multi === multi else { return }
            watch.multi = isRemoved ? nil : multi
            watch.wanted = isRemoved ? 0 : interest
            update(&watch, of: descriptor)
        }
    }

    private func update(_ watch: inout Watch, of descriptor: CInt) {
        let effective = watch.effective
        // An idle connection stays watched, which saves two system calls per request. If it becomes ready while it is
        // idle, the watch ends.
        guard !watch.isTracked || effective != 0 && effective != watch.watched else { return }
        // The watch of an untracked socket is always set: its descriptor may belong to another socket by now.
        let result = streams_poller_watch(pollDescriptor, descriptor, watch.watched, effective)
        watch.watched = result == 0 ? effective : 0
    }

    /// Makes a handle's connections report the sockets that they close.
    func trackSockets(of easy: OpaquePointer) throws(TransportFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = streams_curl_set_close_callback(
            easy,
            { context, descriptor in
                guard let context else { return -1 }
                return Unmanaged<SocketPoller>.fromOpaque(context).takeUnretainedValue().closeSocket(descriptor)
            }, context)
        guard code == 0 else { throw TransportFailure(curl: code) }
    }
}

// MARK: The sockets of a transfer

extension SocketPoller {
    /// Records that a transfer has a connection, and forgets its other sockets, which libcurl closes.
    ///
    /// - Parameter localPort: The local port of the connection; `nil` if it is unknown.
    func connected(_ sockets: [CInt], of owner: ObjectIdentifier, localPort: CInt?) {
        for descriptor in sockets where watches[Int(descriptor)].owner == owner {
            if let localPort, streams_curl_local_port(descriptor) != localPort {
                forget(descriptor)
            } else {
                noteConnected(descriptor)
            }
        }
    }

    /// Counts a socket as a connection from now on, unless it counts as one.
    private func noteConnected(_ descriptor: CInt) {
        withWatch(descriptor) { watch in
            guard watch.owner != nil, let origin = watch.origin else { return }
            watch.owner = nil
            connections.connected(origin)
        }
    }

    /// Forgets the sockets of a transfer that has been removed before it had a connection.
    ///
    /// libcurl has closed them: from 7.88 to 8.1 without a callback.
    func abandon(_ sockets: [CInt], of owner: ObjectIdentifier) {
        for descriptor in sockets where watches[Int(descriptor)].owner == owner { forget(descriptor) }
    }
}

// MARK: Reused sockets

extension SocketPoller {
    /// Keeps a socket under its connection's local port, if it has that port.
    func identify(_ descriptor: CInt, localPort: CInt) {
        guard localPort > 0, streams_curl_local_port(descriptor) == localPort else { return }
        withWatch(descriptor) { $0.localPort = localPort }
        socketsByPort[localPort] = descriptor
    }

    /// Returns whether the peer of an identified socket has closed the connection.
    func isClosedByPeer(localPort: CInt) -> Bool {
        socketsByPort[localPort].map { streams_is_closed_by_peer($0) != 0 } ?? false
    }
}

// MARK: Paused sockets

extension SocketPoller {
    /// Stops or resumes reading a socket. While it is paused, it is not read, whatever libcurl wants.
    func setReadingPaused(_ isPaused: Bool, of descriptor: CInt) {
        withWatch(descriptor) { watch in
            guard watch.isPaused != isPaused else { return }
            watch.isPaused = isPaused
            update(&watch, of: descriptor)
        }
    }
}

// MARK: Sockets that are written in vain

extension SocketPoller {
    /// The number of times in a row that libcurl may do nothing with a socket that can be written.
    private static let maxFruitlessCount = 16
    private static let writePauseDuration = Duration.milliseconds(10)

    /// Records that a transfer has sent or received something.
    func noteProgress() {
        hasProgressed = true
    }

    /// Pauses the writing of a socket that can be written, if libcurl has nothing to send, and ends the pause when
    /// something has come.
    ///
    /// Until 8.1, libcurl waits for the socket while an HTTP/2 upload waits for the server to open its window, and so
    /// would never sleep (curl/curl#7821).
    private func judgeWriting(_ descriptor: CInt, readiness: CInt, now: MonotonicTime) {
        withWatch(descriptor) { watch in
            guard readiness == CInt(CurlInterestOut), !hasProgressed else {
                return resumeWriting(&watch, of: descriptor)
            }
            watch.fruitlessCount += 1
            guard watch.fruitlessCount >= Self.maxFruitlessCount, watch.isTracked, !watch.isWritingPaused else {
                return
            }
            watch.isWritingPaused = true
            update(&watch, of: descriptor)
            writePause.sockets.append(descriptor)
            writePause.end = writePause.end ?? now + Self.writePauseDuration
        }
    }

    private func resumeWriting(_ watch: inout Watch, of descriptor: CInt) {
        watch.fruitlessCount = 0
        guard watch.isWritingPaused else { return }
        watch.isWritingPaused = false
        update(&watch, of: descriptor)
    }

    /// The end of the pauses; `nil` if there are none.
    var writePauseEnd: MonotonicTime? { writePause.end }

    /// Ends the pauses if they are over.
    func endWritePauses(now: MonotonicTime) {
        guard let end = writePause.end, end <= now else { return }
        let sockets = writePause.sockets
        writePause = ([], nil)
        for descriptor in sockets { withWatch(descriptor) { resumeWriting(&$0, of: descriptor) } }
    }
}

// MARK: The sockets of connections

extension SocketPoller {
    /// Reports a socket that libcurl has opened to a connection from now on.
    func assign(_ descriptor: CInt, to connection: TransportConnection) {
        withWatch(descriptor) { ($0.multi, $0.connection) = (nil, connection) }
        noteConnected(descriptor)
    }

    /// Stops reporting a socket to its connection.
    func release(_ descriptor: CInt) {
        withWatch(descriptor) { ($0.connection, $0.wanted) = (nil, 0) }
    }

    /// Sets the readiness that a connection waits for.
    func watch(_ connection: TransportConnection, for interest: CInt) {
        withWatch(connection.descriptor) { watch in
            guard watch.wanted != interest else { return }
            watch.wanted = interest
            update(&watch, of: connection.descriptor)
        }
    }
}

// MARK: Waiting

extension SocketPoller {
    /// Waits until a socket is ready or the wake signal is raised.
    ///
    /// - Parameter milliseconds: The longest time to wait; a negative number is without limit.
    /// - Returns: The number of events.
    func wait(milliseconds: CInt) -> Int {
        // An interrupted wait is a wait without events.
        Int(max(streams_poller_wait(pollDescriptor, events, CInt(Self.capacity), milliseconds), 0))
    }

    /// Calls a closure for each socket that the last wait found ready, and clears the wake signal if it was raised.
    func forEachEvent(_ count: Int, now: MonotonicTime, _ handle: (Event) -> Void) {
        for index in 0..<count {
            let (descriptor, readiness) = (events[index].descriptor, events[index].readiness)
            if descriptor == wakeSignal.readable {
                wakeSignal.clear()
            } else if isWanted(descriptor) {
                // A copy of the whole watch would retain its origin, too.
                if let connection = watches[Int(descriptor)].connection {
                    handle(.connection(connection, readiness: readiness))
                } else if let multi = watches[Int(descriptor)].multi {
                    currentSocket = descriptor
                    hasProgressed = false
                    handle(.transfers(of: multi, descriptor, readiness: readiness))
                    judgeWriting(descriptor, readiness: readiness, now: now)
                    currentSocket = nil
                }
            }
        }
    }

    /// Returns whether a socket that is ready is waited for, and ends its watch otherwise.
    private func isWanted(_ descriptor: CInt) -> Bool {
        withWatch(descriptor) { watch in
            if watch.effective != 0 { return true }
            _ = streams_poller_watch(pollDescriptor, descriptor, watch.watched, 0)
            watch.watched = 0
            return false
        }
    }
}
#endif
