import StreamsHTTP
import StreamsLoopback
import Testing

@testable import StreamsHTTPTesting

/// Feeds whose connections break at random places, and whose server forgets elements now and then.
@Suite(.reservesDescriptors) struct FlappingFeedTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func everyEventIsDeliveredOnceInOrder(lineBreak: String) async throws {
        let script = FlappingScript(contentType: "text/event-stream") {
            "id: \($0)\(lineBreak)data: öä€😀 \($0)\(lineBreak)\(lineBreak)"
        }
        server.on("GET", "/") { request in
            script.reply(after: request.headers["Last-Event-ID"].flatMap { Int($0) }, turn: request.turn)
        }
        let feed = server.client().serverSentEvents(
            for: .flapping, lastEventID: "0", options: .immediate)
        let recording = try await record(feed) { event in event.data == "öä€😀 \(event.id)" ? Int(event.id) : nil }
        verify(recording, script)
        #expect(script.places.contains(.insideCharacter))
        if lineBreak == "\r\n" { #expect(script.places.contains(.insideLineBreak)) }
    }

    @Test func everyLineIsDeliveredOnceInOrder() async throws {
        struct Item: Codable, Sendable {
            let number: Int
            let text: String
        }
        let script = FlappingScript(contentType: "application/x-ndjson") {
            "{\"number\": \($0), \"text\": \"öä€😀\"}\r\n"
        }
        server.on("GET", "/") { request in
            script.reply(after: request.target.split(separator: "=").last.flatMap { Int($0) }, turn: request.turn)
        }
        var cursor = Feed<Item>.Cursor.query("after") { "\($0.number)" }
        cursor.start = "0"
        let feed = server.client().jsonLines(
            of: Item.self, for: .flapping, cursor: cursor, options: .immediate)
        let recording = try await record(feed) { item in item.text == "öä€😀" ? item.number : nil }
        verify(recording, script)
        #expect(script.places.isSuperset(of: [.insideCharacter, .insideLineBreak]))
    }

    /// Receives a feed up to its end.
    ///
    /// - Parameter number: Returns the number of an element; `nil` if its content is wrong.
    private func record<Element: Sendable>(
        _ feed: Feed<Element>, number: @escaping @Sendable (Element) -> Int?
    ) async throws -> NumberRecording {
        let recording = Locked(NumberRecording())
        let completion = Watched<Subscribers.Completion<HTTPError>?>(nil)
        let subscription = feed.events.sink { end in
            completion.update { $0 = end }
        } receiveValue: { event in
            recording.withLock { $0.accept(event, number: number) }
        }
        let end = try await completion.wait(for: "the completion") { $0 != nil }
        withExtendedLifetime(subscription) {}
        if case .failure(let error) = end { throw error }
        return recording.withLock { $0 }
    }

    private func verify(
        _ recording: NumberRecording, _ script: FlappingScript, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(recording.violations.prefix(5) == [], sourceLocation: sourceLocation)
        #expect(recording.grammar.violations.prefix(5) == [], sourceLocation: sourceLocation)
        #expect(recording.last == FlappingScript.total, sourceLocation: sourceLocation)
        // Elements are missing only where the server had forgotten them.
        #expect(!recording.skips.isEmpty, sourceLocation: sourceLocation)
        #expect(recording.skips.isSubset(of: script.oldest), sourceLocation: sourceLocation)
        #expect(recording.stalls > 0, sourceLocation: sourceLocation)
        #expect(server.requests.count > FlappingScript.drops * 9 / 10, sourceLocation: sourceLocation)
    }
}

extension HTTPRequest {
    /// A request with a timeout for stalled connections. Where the machine is busy, it ends other connections as well.
    fileprivate static let flapping = HTTPRequest(.get, "/").settingOptions { $0.timeouts.idle = .milliseconds(300) }
}

/// The replies to a feed of numbered elements, each of which breaks off at a random place: the same for each request
/// in each run.
private final class FlappingScript: Sendable {
    /// A place where a reply broke off.
    enum Place {
        case insideCharacter
        case insideLineBreak
        case elsewhere
    }

    private struct State {
        var oldest: Set<Int> = [1]
        var places: Set<Place> = []
    }

    /// The number of elements.
    static let total = 100_000
    /// The mean number of elements of a connection.
    private static let meanLength = 100
    /// The expected number of interruptions.
    static let drops = total / meanLength

    private let contentType: String
    private let element: @Sendable (Int) -> String
    private let state = Locked(State())

    /// - Parameter element: Returns the bytes of an element by its number.
    init(contentType: String, element: @escaping @Sendable (Int) -> String) {
        self.contentType = contentType
        self.element = element
    }

    /// The numbers of the elements that were the oldest ones at some time.
    var oldest: Set<Int> { state.withLock { $0.oldest } }
    var places: Set<Place> { state.withLock { $0.places } }

    /// Returns the elements after a number, up to a random place in the last of them.
    ///
    /// - Parameter last: The number that the client resumes after; `nil` if it asks for all elements.
    func reply(after last: Int?, turn: Int) -> Reply {
        var random = SplitMix64(seed: UInt64(turn))
        let forgets = Int.random(in: 0..<50, using: &random) == 0
        let oldest = state.withLock { state in
            if forgets, let last, last + 100 < Self.total {
                state.oldest.insert(last + Int.random(in: 2...50, using: &random))
            }
            return state.oldest.max() ?? 1
        }
        if let last, last < oldest - 1 { return .status(410) }
        let first = last ?? oldest - 1
        guard first < Self.total else { return .status(204) }
        let end = min(first + Int.random(in: 1...(2 * Self.meanLength), using: &random), Self.total)
        let bytes = Array(((first + 1)...end).map(element).joined().utf8)
        let cut = bytes.count - Int.random(in: 0..<element(end).utf8.count, using: &random)
        let place = place(cut, in: bytes)
        _ = state.withLock { $0.places.insert(place) }
        let reply = Reply(headers: ["Content-Type": contentType], body: .chunked(.bytes(bytes)))
        // A stall costs time, so there are few.
        if turn.isMultiple(of: 100) { return reply.failing(with: .stall(at: .inBody(after: cut))) }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return reply.failing(with: .reset(at: .inBody(after: cut)))
        case 1: return reply.failing(with: .close(at: .inBody(after: cut)))
        default: return Reply(headers: ["Content-Type": contentType], body: .bytes(Array(bytes.prefix(cut))))
        }
    }

    private func place(_ index: Int, in bytes: [UInt8]) -> Place {
        guard 0 < index, index < bytes.count else { return .elsewhere }
        if bytes[index] & 0xC0 == 0x80 { return .insideCharacter }
        return bytes[index - 1] == UInt8(ascii: "\r") && bytes[index] == UInt8(ascii: "\n")
            ? .insideLineBreak : .elsewhere
    }
}

/// The order of the numbers that a feed has delivered, in constant memory.
private struct NumberRecording: Sendable {
    /// The last number.
    private(set) var last = 0
    /// The numbers that came after missing ones which a gap reported.
    private(set) var skips: Set<Int> = []
    /// The number of connections that the idle timeout has ended.
    private(set) var stalls = 0
    private(set) var violations: [String] = []
    private(set) var grammar = FeedGrammar()
    /// Whether a gap has been reported since the last element.
    private var hasGap = false

    mutating func accept<Element>(_ event: Feed<Element>.Event, number: (Element) -> Int?) {
        grammar.accept(event)
        switch event {
        case .gap: hasGap = true
        case .waiting(let wait): if wait.error?.name == "timeout.idle" { stalls += 1 }
        case .element(let element):
            guard let number = number(element) else { return violations.append("\(element)") }
            if hasGap, number > last + 1 {
                skips.insert(number)
            } else if number != last + 1 {
                violations.append("\(number) after \(last)")
            }
            last = number
            hasGap = false
        case .connecting, .open, .comment: break
        }
    }
}
