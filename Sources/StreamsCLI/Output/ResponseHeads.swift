import StreamsHTTP
import Synchronization

/// The heads of the responses to a request, in the order received. Those of redirects are not among its events.
final class ResponseHeads: Sendable {
    private let heads = Mutex<[HTTPResponse<Void>]>([])

    func append(_ head: HTTPResponse<Void>) {
        heads.withLock { $0.append(head) }
    }

    /// The head that was received last.
    var last: HTTPResponse<Void>? { heads.withLock { $0.last } }

    /// Returns the bytes of a response's head, after those of the redirects that led to it, as HTTP/1.1 writes them.
    func data(of response: HTTPResponse<Void>) -> Data {
        let count = response.redirects.count + 1
        let heads = heads.withLock { $0.suffix(count) }
        return heads.reduce(into: Data()) { $0 += $1.bytes }
    }
}

extension HTTPResponse<Void> {
    /// The head as HTTP/1.1 writes it, with the bytes that came. HTTP/2 has no reason phrases.
    var bytes: [UInt8] {
        "\(version) \(status) ".utf8 + reasonText.bytes + "\r\n".utf8 + headers.lines + "\r\n".utf8
    }
}

extension HTTPHeaders {
    /// The fields as HTTP/1.1 writes them, with the bytes that came.
    var lines: [UInt8] {
        flatMap { "\($0.name): ".utf8 + $0.bytes + "\r\n".utf8 }
    }
}
