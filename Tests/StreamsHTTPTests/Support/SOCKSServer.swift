import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A SOCKS 5 proxy (RFC 1928) for one connection, which answers the request behind it itself.
final class SOCKSServer: Sendable {
    /// With names left for the proxy to resolve.
    let url: String
    /// The requested destination of the connection, as a name and a port.
    let destination = Watched("")
    private let descriptor: CInt

    init() throws {
        let listener = try ListeningSocket(backlog: 1)
        descriptor = listener.descriptor
        url = "socks5h://127.0.0.1:\(listener.port)"
        DispatchQueue.global().async { [descriptor, destination] in
            let connection = accept(descriptor, nil, nil)
            guard connection >= 0 else { return }
            Self.serve(connection, destination)
            close(connection)
        }
    }

    deinit {
        shutdown(descriptor, CInt(SHUT_RDWR))
        close(descriptor)
    }

    private static func serve(_ connection: CInt, _ destination: Watched<String>) {
        let greeting = read(2, from: connection)
        _ = read(Int(greeting.last ?? 0), from: connection)
        write([5, 0], to: connection)
        let length = read(5, from: connection).last ?? 0
        let name = String(decoding: read(Int(length), from: connection), as: UTF8.self)
        let port = read(2, from: connection).reduce(0) { $0 << 8 | Int($1) }
        destination.update { $0 = "\(name):\(port)" }
        write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], to: connection)
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            let next = read(1, from: connection)
            if next.isEmpty { return }
            head += next
        }
        write(Array("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nproxied".utf8), to: connection)
    }

    /// Reads so many bytes, or fewer where there are no more.
    private static func read(_ count: Int, from connection: CInt) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = recv(connection, &bytes, count, CInt(MSG_WAITALL))
        return Array(bytes.prefix(max(received, 0)))
    }

    private static func write(_ bytes: [UInt8], to connection: CInt) {
        _ = send(connection, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }
}
