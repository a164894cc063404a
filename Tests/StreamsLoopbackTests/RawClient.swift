#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A bare TCP or unix-domain socket: what a test writes is what the server gets, and nothing is interpreted on the way
/// back.
final class RawClient {
    /// The end of a stream of bytes.
    enum End: Equatable {
        case orderly
        case reset
        /// Nothing came for the time the watchdog allows.
        case silent
    }

    private let descriptor: Int32

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameters:
    ///   - receiveBuffer: the size asked of the kernel, nil for its own choice.
    ///   - patience: how many milliseconds a write waits to be taken; a read waits for long.
    init(port: Int, receiveBuffer: Int32? = nil, patience: Int = 20_000) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        address.sin_port = UInt16(port).bigEndian
        descriptor = try Self.connected(to: address, family: AF_INET, receiveBuffer: receiveBuffer, patience: patience)
    }

    /// Connects to a unix-domain socket.
    init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        descriptor = try Self.connected(to: address, family: AF_UNIX, receiveBuffer: nil, patience: 20_000)
    }

    deinit {
        _ = close(descriptor)
    }

    private static func connected<Address>(
        to address: Address, family: Int32, receiveBuffer: Int32?, patience: Int
    ) throws -> Int32 {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        for (option, milliseconds) in [(SO_RCVTIMEO, 20_000), (SO_SNDTIMEO, patience)] {
            var limit = timeval()
            limit.tv_sec = .init(milliseconds / 1000)
            limit.tv_usec = .init(milliseconds % 1000 * 1000)
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = withUnsafeBytes(of: address) { raw in
            raw.withMemoryRebound(to: sockaddr.self) { connect(descriptor, $0.baseAddress, socklen_t(raw.count)) }
        }
        guard result == 0 else {
            let code = errno
            _ = close(descriptor)
            throw Failure(call: "connect", code: code)
        }
        return descriptor
    }

    /// Sends bytes; those the peer no longer takes are dropped.
    ///
    /// - Returns: how many were taken.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { raw in
                write(UnsafeRawBufferPointer(rebasing: raw[sent...]))
            }
            guard count > 0 else { break }
            sent += count
        }
        return sent
    }

    @discardableResult
    func send(_ text: String) -> Int {
        send(Array(text.utf8))
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
        return Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
        #elseif canImport(Musl)
        return Musl.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        return Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// The result of one read.
    func read(atMost count: Int = 65_536) -> (bytes: [UInt8], end: End?) {
        var end: End?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            let result = recv(descriptor, room.baseAddress, count, 0)
            filled = max(0, result)
            guard result <= 0 else { return }
            end = result == 0 ? .orderly : errno == EAGAIN || errno == EWOULDBLOCK ? .silent : .reset
        }
        return (bytes, end)
    }

    /// Everything up to the end.
    func readAll() -> (bytes: [UInt8], end: End) {
        var all: [UInt8] = []
        while true {
            let (bytes, end) = read()
            all += bytes
            if let end { return (all, end) }
        }
    }

    /// Everything up to the end, as text.
    func readText() -> (text: String, end: End) {
        let (bytes, end) = readAll()
        return (String(decoding: bytes, as: UTF8.self), end)
    }

    /// Exactly that many bytes, fewer where the stream ends first.
    func read(exactly count: Int) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let (bytes, end) = read(atMost: min(65_536, count - all.count))
            all += bytes
            if end != nil { break }
        }
        return all
    }

    /// Reads byte by byte up to and with `mark`, or to the end of the stream.
    func read(through mark: String) -> String {
        var all: [UInt8] = []
        let tail = Array(mark.utf8)
        while !all.suffix(tail.count).elementsEqual(tail) {
            let (bytes, end) = read(atMost: 1)
            all += bytes
            if end != nil { break }
        }
        return String(decoding: all, as: UTF8.self)
    }

    /// A head, up to and with its empty line.
    func readHead() -> String {
        read(through: "\r\n\r\n")
    }

    /// Reads that many bytes at most into nowhere, verifying each against `matches`.
    ///
    /// - Returns: how many bytes came, and whether all were right.
    func drain(_ count: Int, matches: (UnsafeRawBufferPointer, Int) -> Bool) -> (count: Int, isRight: Bool) {
        var total = 0
        var isRight = true
        withUnsafeTemporaryAllocation(byteCount: 256 * 1024, alignment: 1) { room in
            while total < count {
                let got = recv(descriptor, room.baseAddress, min(room.count, count - total), 0)
                guard got > 0 else { return }
                isRight = isRight && matches(UnsafeRawBufferPointer(rebasing: room[..<got]), total)
                total += got
            }
        }
        return (total, isRight)
    }

    /// Ends the outgoing direction alone.
    func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }
}

/// A request without a body.
func request(_ method: String, _ target: String, _ fields: String...) -> String {
    let lines = ["\(method) \(target) HTTP/1.1", "Host: localhost"] + fields
    return lines.map { "\($0)\r\n" }.joined() + "\r\n"
}
