#if canImport(CLibcurl)
import CLibcurl

/// A multi handle of libcurl, with its timer, which opens connections and keeps those with TLS.
///
/// Only the engine's thread uses it.
final class MultiHandle {
    let pointer: OpaquePointer
    let poller: SocketPoller
    /// Whether it opens one connection alone, which is closed with it.
    private let isOfOneConnection: Bool
    /// The number of easy handles in it.
    @exclusivity(unchecked) private(set) var handleCount = 0
    /// The sockets of connections that have been opened and taken over, until libcurl forgets them: before 7.75 when
    /// the multi handle is closed, and by then a descriptor may be that of another socket.
    @exclusivity(unchecked) private var takenSockets: [CInt] = []
    /// The time at which libcurl wants to be called although no socket is ready.
    @exclusivity(unchecked) private var timer: MonotonicTime?
    /// Whether libcurl wants to be called at once.
    @exclusivity(unchecked) private var isTimerDue = false

    init(_ poller: SocketPoller, isOfOneConnection: Bool = false) throws(TransportFailure) {
        let inherits = CurlTransport.Runtime.current.letsDescriptorsBeInherited
        guard let created = inherits ? streams_curl_multi_init() : curl_multi_init() else {
            throw TransportFailure(system: ENOMEM)
        }
        pointer = created
        self.poller = poller
        self.isOfOneConnection = isOfOneConnection
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = streams_curl_multi_set_callbacks(created, &Self.callbacks, context)
        guard code == 0 else { throw TransportFailure(curlMulti: code) }
    }

    /// Closes the handle and its connections. No easy handle may be left.
    func close() {
        curl_multi_cleanup(pointer)
    }

    /// Adds an easy handle, whose connections report the sockets that they close.
    func add(_ easy: OpaquePointer) throws(TransportFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = streams_curl_set_close_callback(
            easy,
            { context, descriptor in
                guard let context else { return -1 }
                return Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().close(descriptor)
            }, context)
        guard code == 0 else { throw TransportFailure(curl: code) }
        let addCode = curl_multi_add_handle(pointer, easy)
        guard addCode == 0 else { throw TransportFailure(curlMulti: addCode) }
        handleCount += 1
    }

    func remove(_ easy: OpaquePointer) {
        curl_multi_remove_handle(pointer, easy)
        handleCount -= 1
    }

    /// Takes over a socket of a connection that has been opened, so that libcurl does not close it.
    func take(_ descriptor: CInt) {
        takenSockets.append(descriptor)
    }

    private func close(_ descriptor: CInt) -> CInt {
        guard let index = takenSockets.firstIndex(of: descriptor) else { return poller.closeSocket(descriptor) }
        takenSockets.remove(at: index)
        return 0
    }

    /// Whether another one is to open further connections. Those with TLS stay in it, and libcurl searches it each time
    /// that one of them is read or written.
    ///
    /// All openings that are started again when a descriptor is free have room in one of them, since another one would
    /// take that descriptor.
    var isFull: Bool { isOfOneConnection || max(handleCount, takenSockets.count) >= Self.connectionCount }

    private static let connectionCount = 64

    // Safe because it is never changed.
    nonisolated(unsafe) private static var callbacks = CurlLoopCallbacks(
        socket: { _, socket, interest, context, _ in
            guard let context else { return 0 }
            let multi = Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
            multi.poller.watch(socket, interest: interest, for: multi)
            return 0
        },
        timer: { _, milliseconds, context in
            guard let context else { return 0 }
            Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
            return 0
        }
    )
}

// MARK: Calling libcurl

extension MultiHandle {
    /// Passes a socket's readiness to libcurl.
    func act(_ descriptor: CInt, _ readiness: CInt) {
        call(descriptor, readiness)
    }

    private func call(_ descriptor: CInt, _ readiness: CInt) {
        var running: CInt = 0
        // It fails only for an unknown multi handle, and for a call from inside a callback.
        curl_multi_socket_action(pointer, descriptor, readiness, &running)
    }

    /// Calls libcurl if its timer is due, as it is after a handle has been added.
    func actOnTimer(now: MonotonicTime) {
        guard isTimerDue || timer.map({ $0 <= now }) ?? false else { return }
        isTimerDue = false
        timer = nil
        call(CInt(CurlSocketTimeout), 0)
        // libcurl does not report a timer again that it has reported before, not even if it was called too early for
        // it.
        var milliseconds = -1
        curl_multi_timeout(pointer, &milliseconds)
        setTimer(milliseconds: milliseconds)
    }

    /// Returns the next easy handle that libcurl has completed, and its result.
    func nextMessage() -> (easy: OpaquePointer, code: CInt)? {
        var remaining: CInt = 0
        while let message = curl_multi_info_read(pointer, &remaining) {
            guard message.pointee.kind == CInt(CurlMessageDone), let easy = message.pointee.easy else { continue }
            return (easy, message.pointee.data.result)
        }
        return nil
    }

    /// The time at which libcurl is to be called; `nil` if there is none.
    func deadline(now: MonotonicTime) -> MonotonicTime? { isTimerDue ? now : timer }

    private func setTimer(milliseconds: Int) {
        isTimerDue = milliseconds == 0
        timer = milliseconds > 0 ? .now + .milliseconds(milliseconds) : nil
    }
}
#endif
