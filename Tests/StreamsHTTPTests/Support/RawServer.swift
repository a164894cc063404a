import Foundation
import StreamsHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server that treats each connection as a closure says, for behaviour that the loopback server does not offer.
final class RawServer: Sendable {
    let url: String
    private let descriptor: CInt

    /// - Parameter serve: Called on a thread of its own for each connection, which is closed when it returns.
    init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
        let listener = try ListeningSocket(backlog: 16)
        descriptor = listener.descriptor
        url = "http://127.0.0.1:\(listener.port)"
        Thread.detachNewThread { [descriptor] in
            for number in 1... {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { break }
                Thread.detachNewThread {
                    serve(RawConnection(descriptor: accepted, number: number))
                    close(accepted)
                }
            }
            close(descriptor)
        }
    }

    deinit {
        // Ends `accept`.
        shutdown(descriptor, CInt(SHUT_RDWR))
    }
}

extension RawServer {
    /// A client whose base URL is this server, with connections of its own.
    func client(options: RequestOptions = RequestOptions(), monitors: [any EventMonitor] = []) -> HTTPClient {
        var configuration = HTTPClient.Configuration(baseURL: URL(string: url), options: options)
        configuration.monitors = monitors
        return HTTPClient(configuration: configuration, transport: CurlTransport())
    }
}

/// A connection of a ``RawServer``.
struct RawConnection: Sendable {
    let descriptor: CInt
    /// The number of the connection, from 1.
    let number: Int

    /// Reads a request up to its end, as its head declares it.
    ///
    /// - Returns: The method; `nil` if the client closed the connection.
    func readRequest() -> String? { readMessage()?.method }

    /// Reads a request up to its end, as its head declares it.
    ///
    /// - Returns: The method, and the content in its transfer coding; `nil` if the client closed the connection.
    func readMessage() -> (method: String, content: [UInt8])? {
        guard let head = readHead() else { return nil }
        var content: [UInt8] = []
        let fields = head.lowercased()
        if fields.contains("transfer-encoding: chunked") {
            guard let chunks = read(until: "0\r\n\r\n") else { return nil }
            content = chunks
        } else if let declared = fields.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }) {
            let length = Int(declared.dropFirst("content-length:".count).filter(\.isNumber)) ?? 0
            content = read(length)
            guard content.count == length else { return nil }
        }
        return (String(head.prefix { $0 != " " }), content)
    }

    /// Reads the head of a request; `nil` if the client closed the connection.
    func readHead() -> String? {
        read(until: "\r\n\r\n").map { String(decoding: $0, as: UTF8.self) }
    }

    private func read(until end: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        while !bytes.suffix(end.utf8.count).elementsEqual(end.utf8) {
            let next = read(1)
            if next.isEmpty { return nil }
            bytes += next
        }
        return bytes
    }

    /// Reads bytes; fewer if the client closes the connection.
    func read(_ count: Int) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &bytes, count, CInt(MSG_WAITALL))
        return Array(bytes.prefix(max(received, 0)))
    }

    /// - Returns: Whether all bytes were written.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    @discardableResult
    func write(_ text: String) -> Bool { write(Array(text.utf8)) }

    /// Makes the end of the connection a reset.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}
