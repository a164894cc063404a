import StreamsHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A port whose queue of connections is full, so that connecting to it takes for ever.
final class FullListener: Sendable {
    let url: String
    private let descriptors: [CInt]

    init() throws {
        let listener = Self.makeSocket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 0) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else {
            close(listener)
            throw SocketRefused(code: errno)
        }
        var descriptors = [listener]
        // A queue of length zero takes one; the rest stay on their way.
        for _ in 1...4 {
            let client = Self.makeSocket()
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(client, $0, length) }
            }
            descriptors.append(client)
        }
        self.descriptors = descriptors
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/"
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    private static func makeSocket() -> CInt {
        #if canImport(Glibc)
        socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        #else
        socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }
}

/// The system's refusal of a socket.
struct SocketRefused: Error {
    let code: CInt
}
