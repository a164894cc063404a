import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Exchanges through a cache, whose server and receivers are a test's.
struct CachedExchanges {
    /// A server whose responses a test delivers, one event after another.
    final class Server: Sendable {
        struct Exchange: Sendable {
            let request: TransportRequest
            let receiver: any TransportReceiver
            let isInBackground: Bool
            let exchange = ScriptedExchange()

            /// Sends bytes of a body in pieces.
            func send(_ body: Data) {
                var rest = body
                while !rest.isEmpty {
                    let piece = rest.prefix(50_000)
                    rest = rest.dropFirst(piece.count)
                    receiver.receive(.chunk(Data(piece), received: Int64(body.count - rest.count)))
                }
            }
        }

        let exchanges = Watched<[Exchange]>([])

        func start(
            _ request: TransportRequest, _ receiver: any TransportReceiver, isInBackground: Bool
        ) -> any TransportExchange {
            let exchange = Exchange(request: request, receiver: receiver, isInBackground: isInBackground)
            exchanges.update { $0.append(exchange) }
            return exchange.exchange
        }

        subscript(index: Int) -> Exchange {
            get throws { try #require(exchanges.value.dropFirst(index).first) }
        }
        var count: Int { exchanges.value.count }
    }

    let server = Server()
    let background = BackgroundExchanges()
    let date = Watched(Date(timeIntervalSince1970: 1_000_000_000))

    /// Starts an exchange.
    func start(
        _ cache: HTTPCache, path: String = "/a", window: Int = 256 * 1024, usesBackpressure: Bool = false
    ) throws -> (CachedExchange, TransportRecorder) {
        let url = try #require(URL(string: "http://h\(path)"))
        let request = TransportRequest(method: .get, url: url, usesBackpressure: usesBackpressure, window: window)
        let recorder = TransportRecorder()
        let exchange = CachedExchange(
            request, cache, now: { [date] in date.value }, background, delivering: recorder
        ) { [server] in server.start($0, $1, isInBackground: $2) }
        exchange.begin()
        return (exchange, recorder)
    }

    func head(_ headers: HTTPHeaders, status: HTTPStatus = .ok) throws -> TransportEvent {
        .head(HTTPResponse(status: status, headers: headers, body: (), url: try #require(URL(string: "http://h/a"))))
    }

    /// Bytes that show which of them was moved, lost or doubled.
    static func body(_ count: Int) -> Data { Data(GeneratedBytes.bytes(0..<count)) }

    /// Stores a response.
    func store(_ body: Data, in cache: HTTPCache, _ headers: HTTPHeaders = ["Cache-Control": "max-age=60"])
        async throws
    {
        let count = server.count
        _ = try start(cache)
        let exchange = try #require(await server.exchanges.wait(for: "the request") { $0.count > count }.last)
        exchange.receiver.receive(try head(headers))
        exchange.send(body)
        exchange.receiver.receive(.finished)
        await cache.synchronize()
    }

    /// Changes a byte of the largest file.
    static func damage(bodyIn folder: String, at offset: Int) throws {
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { "\(folder)/\($0)" } ?? []
        let path = try #require(files.max { size(of: $0) < size(of: $1) })
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[offset] ^= 1
        // In place, as a new file would have other rights.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    private static func size(of path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }
}
