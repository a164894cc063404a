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
        let listener = try ListeningSocket(backlog: 0)
        var descriptors = [listener.descriptor]
        // A queue of length zero takes one; the rest stay on their way.
        for _ in 1...4 {
            let client = ListeningSocket.makeSocket()
            _ = fcntl(client, F_SETFL, O_NONBLOCK)
            listener.withAddress { _ = connect(client, $0, $1) }
            descriptors.append(client)
        }
        self.descriptors = descriptors
        url = "http://127.0.0.1:\(listener.port)/"
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
