import Dispatch
import Streams

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server that accepts one connection at a time, when it is told to. The others wait in the system's queue, where
/// they take no descriptor of this process.
final class BacklogServer: Sendable {
    private let listener: ListeningSocket

    init() throws {
        listener = try ListeningSocket(backlog: 4096)
    }

    deinit {
        close(listener.descriptor)
    }

    var port: Int { Int(listener.port) }

    var url: String { "http://127.0.0.1:\(port)/" }

    /// Answers connections, one request each, on a thread of its own.
    func answer(_ count: Int) {
        DispatchQueue(label: "BacklogServer").async { [self] in
            var answered = 0
            while answered < count {
                let connection = accept(listener.descriptor, nil, nil)
                guard connection >= 0 else {
                    // The process has no descriptor for a moment.
                    sched_yield()
                    continue
                }
                defer { close(connection) }
                var request = [UInt8](repeating: 0, count: 4096)
                guard recv(connection, &request, request.count, 0) > 0 else { continue }
                let reply = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
                _ = send(connection, reply, reply.count, CInt(MSG_NOSIGNAL))
                answered += 1
            }
        }
    }
}
