import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// Compressed bodies, as a server reads them that is not ours.
@Suite(.needsWebSocketServers, .needs(.openssl), .serialized, .reservesDescriptors) struct CompressedBodyServerTests {
    @Test(arguments: [HTTPBody.Compression.gzip, .deflate, .gzip(level: 1), .gzip(level: 9)], [1_000, 3_000_000])
    func isDecodedByServer(compression: HTTPBody.Compression, size: Int) async throws {
        let url = try await WebSocketServer.Library.aiohttp.server.url("/")
        let bytes = Data(GeneratedBytes.bytes(0..<size).map { $0 & 0x3F })
        let body = HTTPBody.data(bytes, contentType: "text/x-test").compressed(compression)
        let response = try await HTTPClient.alone.response(for: HTTPRequest(.post, url, body: body))
        #expect(response.headers["Content-Type"] == "text/x-test")
        let isEqual = response.body == bytes
        #expect(isEqual)
    }
}
