import Testing

@testable import StreamsHTTP

@Suite struct PreviewExchangeTests {
    private func events() throws -> [TransportEvent] {
        let url = try #require(URL(string: "http://host/"))
        let head = HTTPResponse(status: .ok, headers: [:], body: (), url: url)
        return [.head(head), .chunk(Data("preview".utf8), received: 7), .finished]
    }

    @Test func chunkWaitsForWindow() async throws {
        let recorder = TransportRecorder()
        let events = try events()
        let exchange = PreviewExchange(window: 0, receiver: recorder)
        exchange.start { events }
        let recording = try await recorder.recording.wait(for: "the head") { $0.head != nil }
        #expect(recording.body.isEmpty)
        #expect(try await recorder.recording.waitForStandstill().body.isEmpty)
        exchange.allow(bytes: .max)
        exchange.allow(bytes: .max)
        let ended = try await recorder.ended()
        #expect(ended.body == Data("preview".utf8) && ended.problems == [])
    }

    @Test func deliversNothingAfterAbort() async throws {
        let exchange = Watched<PreviewExchange?>(nil)
        let recorder = TransportRecorder { _ in exchange.value?.abort() }
        let events = try events()
        let started = PreviewExchange(window: 100, receiver: recorder)
        exchange.update { $0 = started }
        started.start { events }
        try await recorder.recording.wait(for: "the head") { $0.head != nil }
        #expect(try await recorder.recording.waitForStandstill().events.count == 1)
    }
}
