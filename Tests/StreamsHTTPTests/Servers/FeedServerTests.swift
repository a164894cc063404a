import Foundation
import StreamsHTTP
import Testing

/// Feeds of a server that has an implementation of server-sent events of its own, also through a proxy that is
/// restarted.
@Suite(.needsFeedServer, .needs(.nginx, .openssl, .gzip), .serialized, .reservesDescriptors) struct FeedServerTests {
    struct Line: Decodable, Sendable {
        let number: Int
        let text: String
    }

    /// The way in which a proxy's connections break.
    enum Break: CaseIterable {
        case restart
        case lostWorker
    }

    private let client = HTTPClient.alone
    private let options = FeedOptions(
        reconnection: .init(
            backoff: .init(initial: .milliseconds(10), maximum: .milliseconds(100))))

    private func recordEvents(_ url: String) -> FeedRecorder<ServerSentEvent<String>> {
        FeedRecorder(of: client.serverSentEvents(for: HTTPRequest(.get, url), options: options).events)
    }

    private func recordLines(_ url: String) -> FeedRecorder<Line> {
        let recorder = FeedRecorder<Line>()
        let cursor = Feed<Line>.Cursor.query("after") { "\($0.number)" }
        client.jsonLines(of: Line.self, for: HTTPRequest(.get, url), cursor: cursor, options: options).events
            .subscribe(recorder)
        return recorder
    }

    private func expectEachOnce(_ events: [ServerSentEvent<String>]) {
        #expect(events.map(\.id) == (0..<events.count).map { "\($0 + 1)" })
        #expect(events.allSatisfy { $0.type == "number" && $0.data == Int($0.id).map(FeedServer.text) })
    }

    private func expectEachOnce(_ lines: [Line]) {
        #expect(lines.map(\.number) == Array(1..<lines.count + 1))
        #expect(lines.allSatisfy { $0.text == FeedServer.text($0.number) })
    }

    @Test func eventsResumeAfterEachResponse() async throws {
        let url = try await FeedServer.shared.value.url("/events?count=37&total=200")
        let recording = try await recordEvents(url).finished()
        #expect(recording.failure == nil && recording.elements.count == 200)
        expectEachOnce(recording.elements)
        #expect(recording.firstNumbers == ["1", "38", "75", "112", "149", "186"])
    }

    @Test func linesResumeAfterEachResponse() async throws {
        let url = try await FeedServer.shared.value.url("/lines?count=37&total=200")
        let recording = try await recordLines(url).finished()
        #expect(recording.failure == nil && recording.elements.count == 200)
        expectEachOnce(recording.elements)
        #expect(recording.firstNumbers == ["1", "38", "75", "112", "149", "186"])
    }

    @Test(arguments: Break.allCases) func feedsSurviveTheBreaksOfAProxy(_ kind: Break) async throws {
        let port = try await FeedServer.shared.value.port
        var nginx = try await Nginx()
        let events = recordEvents(nginx.url("/unbuffered/events?port=\(port)&hold=100"))
        let lines = recordLines(nginx.url("/unbuffered/lines?port=\(port)&hold=100"))
        func waitForElements(ofConnection number: Int) async throws {
            // Half of what each connection has, so that it breaks while others are on the way.
            try await events.recording.wait(for: "events") { $0.hasReceived(50, ofConnection: number) }
            try await lines.recording.wait(for: "lines") { $0.hasReceived(50, ofConnection: number) }
        }
        for connection in 1...3 {
            try await waitForElements(ofConnection: connection)
            switch kind {
            case .restart:
                await nginx.stop()
                nginx = try await Nginx(port: nginx.port)
            case .lostWorker:
                try nginx.reload()
                for worker in Set([events.recording.value.worker, lines.recording.value.worker]) {
                    #expect(kill(try #require(worker), SIGKILL) == 0)
                }
            }
        }
        try await waitForElements(ofConnection: 4)
        expectEachOnce(try await events.elements(1))
        expectEachOnce(try await lines.elements(1))
        #expect(!events.recording.value.outline.contains("feed.not-resumable"))
        #expect(!lines.recording.value.outline.contains("feed.not-resumable"))
        await nginx.stop()
    }
}

extension FeedRecording {
    private var heads: [HTTPResponse<Void>] {
        events.compactMap { if case .open(let head) = $0 { head } else { nil } }
    }

    /// The number of the first element of each response.
    fileprivate var firstNumbers: [String] { heads.compactMap { $0.headers["X-First"] } }

    /// The process of the proxy that serves the connection.
    fileprivate var worker: pid_t? { heads.last?.headers["X-Worker"].flatMap { pid_t($0) } }

    /// Returns whether so many elements have come by the latest connection, which is the one of a number or a later
    /// one.
    fileprivate func hasReceived(_ count: Int, ofConnection number: Int) -> Bool {
        let isOpening = { (event: Feed<Element>.Event) in if case .open = event { true } else { false } }
        guard heads.count >= number, let start = events.lastIndex(where: isOpening) else { return false }
        return events[start...].count { if case .element = $0 { true } else { false } } >= count
    }
}
