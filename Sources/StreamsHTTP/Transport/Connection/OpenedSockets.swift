import CLibcurl

/// The sockets that libcurl opens for one connection, of which it does not close the one that is taken over.
///
/// libcurl refers to it until it forgets the connection: before 7.75, when its multi handle is closed, and by then the
/// descriptor may be that of another socket. Only the engine's thread uses it.
final class OpenedSockets {
    private let poller: SocketPoller
    @exclusivity(unchecked) private var taken: CInt?

    init(_ poller: SocketPoller) {
        self.poller = poller
    }

    /// Makes a handle report the sockets that it closes.
    func track(_ easy: OpaquePointer) throws(TransportFailure) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let code = streams_curl_set_close_callback(
            easy,
            { context, descriptor in
                guard let context else { return -1 }
                return Unmanaged<OpenedSockets>.fromOpaque(context).takeUnretainedValue().close(descriptor)
            }, context)
        guard code == 0 else { throw TransportFailure(curl: code) }
    }

    var isTaken: Bool { taken != nil }

    /// Takes a socket over.
    func take(_ descriptor: CInt) {
        taken = descriptor
    }

    private func close(_ descriptor: CInt) -> CInt {
        taken == descriptor ? 0 : poller.closeSocket(descriptor)
    }
}
