import Foundation
import StreamsLoopback
import Testing

@testable import StreamsHTTP

#if os(Linux)
/// The system's certificate authorities, counted by the bytes that a process of its own reads.
@Suite struct TrustRootsTests {
    @Test func readsTheSystemsOnceForManyConnections() async {
        await #expect(processExitsWith: .success) {
            let file = try #require(SystemTrustRoots.file)
            let size = try Data(contentsOf: URL(filePath: file)).count
            // The authorities are read for the handshake, which then fails.
            let server = try RawServer { _ = $0.read(100) }
            let client = HTTPClient(configuration: .init(), transport: CurlTransport())
            let url = server.url.replacing("http:", with: "https:")
            #expect(await client.outcome(of: url) == "connection.tls-handshake")
            let before = try TrustRootsTests.bytesRead()
            for _ in 0..<20 { _ = await client.outcome(of: url) }
            let read = try TrustRootsTests.bytesRead() - before
            if CurlTransport.Runtime.current.cachesTrustRoots {
                #expect(read < size)
            } else {
                #expect(read >= 20 * size)
            }
        }
    }

    /// The number of bytes that system calls have read from files.
    private static func bytesRead() throws -> Int {
        let counts = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = try #require(counts.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
        return try #require(Int(line.dropFirst("rchar: ".count)))
    }
}
#endif
