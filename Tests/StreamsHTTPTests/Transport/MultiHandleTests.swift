import CLibcurl
import Testing

@testable import StreamsHTTP

@Suite(.reservesDescriptors) struct MultiHandleTests {
    @Test func callsLibcurlWhenAHandleHasBeenAdded() throws {
        let now = MonotonicTime.now
        let multi = try MultiHandle(SocketPoller())
        defer { multi.close() }
        #expect(multi.deadline(now: now) == nil)
        let easy = try #require(curl_easy_init())
        defer { curl_easy_cleanup(easy) }
        try multi.add(easy)
        defer { multi.remove(easy) }
        #expect(multi.deadline(now: now) == now)
        multi.actOnTimer(now: now)
        // It has no URL.
        #expect(multi.nextMessage()?.code != 0)
        #expect(multi.nextMessage() == nil)
        #expect(multi.handleCount == 1)
    }
}
