#if canImport(CLibcurl)
import CLibcurl
import CStreams

/// Waits for the sockets of libcurl and of connections.
///
/// Only the engine's thread uses it, except for ``wakeSignal`` and ``connections``. The cost of a wait does not grow
/// with the number of sockets, as it does with libcurl's own polling.
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
        /// The opening that the socket is of, until it is a connection's.
        var owner: ObjectIdentifier?

        /// Whether the socket is opened and closed through callbacks, so that a reused descriptor is always noticed.
        var isTracked: Bool { origin != nil }
    }

    /// The failure to open a socket.
    struct SocketError: Error {
        let code: CInt

        /// Whether the process or the system lacks a descriptor or memory.
        var isShortage: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
    }

    /// A socket that is ready.
    enum Event {
        case opening(by: MultiHandle, CInt, readiness: CInt)
        case connection(TransportConnection, readiness: CInt)
    }

    /// The maximum number of events of a wait.
    static let capacity = 128

    /// Ends a wait. Can be used from any thread.
    let wakeSignal: WakeSignal
    /// The counts of the sockets. Can be used from any thread.
    let connections = ConnectionCounter()
    /// The engine's share in the resources of its transport.
    let share: EngineShare
    private let pollDescriptor: CInt
    /// The number of descriptors that are not used for sockets; `nil` is the default.
    private let reservedDescriptors: Int?
    @exclusivity(unchecked) private var watches: [Watch] = []
    /// The number of open sockets of the engine.
    @exclusivity(unchecked) private(set) var socketCount = 0
    private let events: UnsafeMutablePointer<PollerEvent>

    init(reservedDescriptors: Int? = nil, share: EngineShare = EngineShare()) throws(TransportFailure) {
        self.share = share
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
        guard share.admit(descriptor, by: limit) else {
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
    var hasRoom: Bool { limit.hasRoom(connectionCount: share.socketCount) }

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
                share.forgetSocket()
                connections.closed(origin, isConnecting: watch.owner != nil)
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
        let wanted = watch.wanted
        // A socket that is not waited for stays watched, which saves two system calls. If it becomes ready meanwhile, the
        // watch ends.
        guard !watch.isTracked || wanted != 0 && wanted != watch.watched else { return }
        // The watch of an untracked socket is always set: its descriptor may belong to another socket by now.
        let result = streams_poller_watch(pollDescriptor, descriptor, watch.watched, wanted)
        watch.watched = result == 0 ? wanted : 0
    }
}

// MARK: The sockets of an opening

extension SocketPoller {
    /// Records that a connection has been opened, and forgets the other sockets, which libcurl closes.
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

    /// Forgets the sockets of an opening that has been removed before there was a connection.
    ///
    /// libcurl has closed them: from 7.88 to 8.1 without a callback.
    func abandon(_ sockets: [CInt], of owner: ObjectIdentifier) {
        for descriptor in sockets where watches[Int(descriptor)].owner == owner { forget(descriptor) }
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
    func forEachEvent(_ count: Int, _ handle: (Event) -> Void) {
        for index in 0..<count {
            let (descriptor, readiness) = (events[index].descriptor, events[index].readiness)
            if descriptor == wakeSignal.readable {
                wakeSignal.clear()
            } else if isWanted(descriptor) {
                // A copy of the whole watch would retain its origin, too.
                if let connection = watches[Int(descriptor)].connection {
                    handle(.connection(connection, readiness: readiness))
                } else if let multi = watches[Int(descriptor)].multi {
                    handle(.opening(by: multi, descriptor, readiness: readiness))
                }
            }
        }
    }

    /// Returns whether a socket that is ready is waited for, and ends its watch otherwise.
    private func isWanted(_ descriptor: CInt) -> Bool {
        withWatch(descriptor) { watch in
            if watch.wanted != 0 { return true }
            _ = streams_poller_watch(pollDescriptor, descriptor, watch.watched, 0)
            watch.watched = 0
            return false
        }
    }
}

/// The time up to which every socket is known to have been read.
///
/// Timeouts are judged by this time rather than by the clock. In a process that was stopped for a while, by a signal or
/// with the machine, the bytes of the peers wait in the sockets when it continues.
struct PollProgress {
    private(set) var time = MonotonicTime.now
    /// The start of the first of consecutive polls that could not report all events; `nil` after a complete poll.
    private var begin: MonotonicTime?
    private var eventCount = 0

    /// Records a poll that began at `start`. The capacity is the maximum number of events of a poll.
    mutating func record(start: MonotonicTime, events: Int, capacity: Int, socketCount: Int) {
        eventCount += events
        let begin = begin ?? start
        // Polls report ready sockets in turn.
        let isComplete = events < capacity || eventCount > socketCount
        if isComplete { (time, eventCount) = (begin, 0) }
        self.begin = isComplete ? nil : begin
    }
}
#endif
