#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A stream socket in non-blocking mode.
///
/// Only the thread that serves a socket uses it, and closes it exactly once.
struct Socket: Sendable {
    let descriptor: Int32

    /// The result of a read or a write.
    enum Transfer {
        /// The number of bytes that were transferred. For a read, zero is the end of the peer's stream.
        case moved(Int)
        case wouldBlock
        case failed
    }

    /// Opens a listening socket on a free port of 127.0.0.1.
    static func listeningOnLoopback() throws(LoopbackError) -> Socket {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return try listening(on: address, family: AF_INET, name: "127.0.0.1")
    }

    /// Opens a listening unix-domain socket, which must not exist yet.
    static func listening(atPath path: String) throws(LoopbackError) -> Socket {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
            guard bytes.count < room.count, !bytes.contains(0) else { return false }
            room.copyBytes(from: bytes)
            return true
        }
        guard fits else { throw .cannotListen(on: path, code: ENAMETOOLONG) }
        return try listening(on: address, family: AF_UNIX, name: path)
    }

    private static func listening<Address>(
        on address: Address, family: Int32, name: String
    ) throws(LoopbackError) -> Socket {
        let opened = Socket(descriptor: socket(family, streamType, 0))
        guard opened.descriptor >= 0 else { throw .cannotListen(on: name, code: errno) }
        opened.prepare()
        let bound = withUnsafeBytes(of: address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { bind(opened.descriptor, $0.baseAddress, socklen_t(raw.count)) }
        }
        guard bound == 0, listen(opened.descriptor, SOMAXCONN) == 0 else {
            let code = errno
            opened.close()
            throw .cannotListen(on: name, code: code)
        }
        return opened
    }

    /// The port a TCP socket is bound to.
    var port: Int {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutableBytes(of: &address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { getsockname(descriptor, $0.baseAddress, &length) }
        }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// The result of an attempt to accept a connection.
    enum Acceptance {
        case connection(Socket)
        case nothing
        /// The process or the system has no descriptor or memory left; the connection stays in the queue.
        case exhausted
    }

    func acceptConnection() -> Acceptance {
        let accepted = Socket(descriptor: accept(descriptor, nil, nil))
        guard accepted.descriptor >= 0 else {
            switch errno {
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .nothing
            }
        }
        accepted.prepare()
        return .connection(accepted)
    }

    func read(into room: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, room.baseAddress, room.count, 0)
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed
            }
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, withoutSignal)
            if count >= 0 { return .moved(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK: return .wouldBlock
            default: return .failed
            }
        }
    }

    /// Limits the kernel's buffers in both directions, so that backpressure shows after a known number of bytes.
    func limitBuffers(to size: Int) {
        set(SO_SNDBUF, to: Int32(clamping: size))
        set(SO_RCVBUF, to: Int32(clamping: size))
    }

    /// Ends the outgoing direction: the peer reads the end of the stream.
    func finishWriting() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes `close` send a reset (RST) instead of a FIN.
    func resetOnClose() {
        var linger = linger()
        linger.l_onoff = 1
        linger.l_linger = 0
        _ = setsockopt(descriptor, SOL_SOCKET, lingerOption, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    }

    func close() {
        closeDescriptor(descriptor)
    }

    private func prepare() {
        makePrivate(descriptor)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        // Fails on a unix-domain socket, which has no delay.
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        set(SO_NOSIGPIPE, to: 1)
        #endif
    }

    private func set(_ option: Int32, to value: Int32) {
        var value = value
        _ = setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}

/// Prevents child processes from inheriting a descriptor.
func makePrivate(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
}

func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// Removes a unix-domain socket's entry from its folder.
func removeSocketFile(_ path: String) {
    _ = unlink(path)
}

func describeSystemError(_ code: Int32) -> String {
    strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
#else
private let streamType = SOCK_STREAM
#endif

#if canImport(Darwin)
// SO_LINGER counts in clock ticks there.
private let lingerOption = SO_LINGER_SEC
private let withoutSignal: Int32 = 0
#else
private let lingerOption = SO_LINGER
private let withoutSignal = Int32(MSG_NOSIGNAL)
#endif
