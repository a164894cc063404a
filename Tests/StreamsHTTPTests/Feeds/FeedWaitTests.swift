import Foundation
import StreamsHTTP
import StreamsLoopback
import Testing

/// The description of a feed's wait.
@Suite struct FeedWaitTests {
    @Test func waitIsALineWithItsReasonAndARoundedDelay() async throws {
        let server = try LoopbackServer()
        server.on("GET", "/x", .status(503), .text("a\n"), .status(404))
        var options = FeedOptions()
        options.reconnection.backoff = Backoff(initial: .microseconds(1600), jitter: 0)
        options.reconnection.healthyTime = .seconds(3600)
        var lines: [String] = []
        do {
            for try await event in HTTPClient.alone.lines(for: HTTPRequest(.get, server.url("/x")), options: options)
                .events
                .values
            {
                if case .waiting(let wait) = event { lines.append("\(wait)") }
            }
        } catch {
            #expect(error.status == .notFound)
        }
        #expect(
            lines == [
                "GET \(server.url("/x")): the server answered 503; the next request follows in 0.001 s",
                "the response has ended; the next request follows in 0.003 s",
            ])
    }
}
