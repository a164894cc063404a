import Dispatch
import Foundation
import StreamsHTTP

/// An HTTP proxy that opens a tunnel for every CONNECT, to the port that the request names on 127.0.0.1.
final class TunnelProxy: Sendable {
    /// A CONNECT request.
    struct Tunnel: Sendable {
        /// The host and port that the client named.
        let authority: String
        /// The value of `Proxy-Authorization`, or `nil` without one.
        let authorization: String?
    }

    /// The tunnels, in the order of their requests.
    let tunnels = Watched<[Tunnel]>([])
    private let listener: ListeningSocket
    /// The number of tunnels to refuse before the first is opened.
    private let refusals: Locked<Int>

    init(refusing refusals: Int = 0) throws {
        listener = try ListeningSocket(backlog: 16)
        self.refusals = Locked(refusals)
        Thread.detachNewThread { [weak self, descriptor = listener.descriptor] in
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                guard let self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { [self] in serve(connection) }
            }
        }
    }

    deinit {
        shutdown(listener.descriptor, CInt(SHUT_RDWR))
        close(listener.descriptor)
    }

    var port: UInt16 { listener.port }

    /// The proxy's URL.
    ///
    /// - Parameter credentials: A user name, a colon and a password, or `nil` for none.
    func url(_ credentials: String? = nil) -> String {
        "http://\(credentials.map { "\($0)@" } ?? "")127.0.0.1:\(port)"
    }

    /// The user names and passwords of the tunnels, in the order of their requests.
    var credentials: [String] {
        tunnels.value.map { tunnel in
            let encoded = tunnel.authorization?.replacing("Basic ", with: "") ?? ""
            return String(decoding: Data(base64Encoded: encoded) ?? Data(), as: UTF8.self)
        }
    }

    private func serve(_ connection: CInt) {
        defer { close(connection) }
        let lines = Self.readHead(of: connection)
        guard let authority = lines.first?.split(separator: " ").dropFirst().first,
            let port = authority.split(separator: ":").last.flatMap({ UInt16($0) })
        else { return }
        let field = lines.first { $0.lowercased().hasPrefix("proxy-authorization: ") }
        let tunnel = Tunnel(
            authority: String(authority), authorization: field.map { String($0.drop { $0 != " " }.dropFirst()) })
        tunnels.update { $0.append(tunnel) }
        let isRefused = refusals.withLock { refusals in
            defer { refusals -= 1 }
            return refusals > 0
        }
        guard !isRefused, let target = LoopbackPort.connected(to: port) else {
            Self.write(Array("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".utf8), to: connection)
            return
        }
        defer { close(target) }
        Self.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8), to: connection)
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            Self.copy(from: target, to: connection)
            isDone.signal()
        }
        Self.copy(from: connection, to: target)
        isDone.wait()
    }

    private static func readHead(of connection: CInt) -> [String] {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(connection, &byte, 1, 0) == 1 else { return [] }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    /// Copies until either side ends, and ends the other.
    private static func copy(from source: CInt, to destination: CInt) {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0, write(Array(buffer.prefix(count)), to: destination) else { break }
        }
        shutdown(source, CInt(SHUT_RDWR))
        shutdown(destination, CInt(SHUT_RDWR))
    }

    @discardableResult
    private static func write(_ bytes: [UInt8], to connection: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
