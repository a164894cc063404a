import Foundation
import Synchronization

/// Ports of 127.0.0.1 for servers that cannot choose one themselves.
enum LoopbackPort {
    /// The ports to choose from. They are below those that the system assigns, so that no other program is assigned one
    /// before the server listens.
    private static let range: Range<UInt16> = 15_000..<32_000
    private static let count = Atomic(UInt16.random(in: 0..<15_000))

    /// Returns a port without a listener, another one each time.
    static func free() throws -> UInt16 {
        for _ in 0..<100 {
            let index = count.wrappingAdd(1, ordering: .relaxed).oldValue % UInt16(range.count)
            let port = range.lowerBound + index
            if withSocket(port, { bind($0, $1, $2) }) { return port }
        }
        throw NoFreePort()
    }

    /// Whether a port has a listener.
    static func accepts(_ port: UInt16) -> Bool {
        withSocket(port) { connect($0, $1, $2) }
    }

    /// Returns a socket that is connected to a port, or `nil` if no server listens there. The caller closes it.
    static func connected(to port: UInt16) -> CInt? {
        var descriptor: CInt = -1
        let isConnected = withSocket(port) {
            guard connect($0, $1, $2) == 0 else { return -1 }
            descriptor = dup($0)
            return 0
        }
        return isConnected && descriptor >= 0 ? descriptor : nil
    }

    private static func withSocket(
        _ port: UInt16, _ operation: (CInt, UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> Bool {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { operation(descriptor, $0, length) == 0 }
        }
    }
}

struct NoFreePort: Error {}
