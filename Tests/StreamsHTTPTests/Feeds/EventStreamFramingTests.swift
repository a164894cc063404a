import Testing

@testable import StreamsHTTP

/// Server-sent events, as the HTML standard defines them in sections 9.2.5 and 9.2.6.
@Suite struct EventStreamFramingTests {
    private typealias Result = FramingResult<EventStreamItem>

    private func items(_ bytes: Data, lastEventID: String = "", maxElementSize: Int = 100) -> [Result] {
        EventStreamFraming(lastEventID: lastEventID, maxElementSize: maxElementSize).resultsOfEachSplit(of: bytes)
    }

    /// Returns the items of a text, and expects the same with each kind of line break.
    private func items(_ text: String, lastEventID: String = "", maxElementSize: Int = 100) -> [Result] {
        let items = items(Data(text.utf8), lastEventID: lastEventID, maxElementSize: maxElementSize)
        for lineBreak in ["\r", "\r\n"] {
            let other = Data(text.replacing("\n", with: lineBreak).utf8)
            #expect(self.items(other, lastEventID: lastEventID, maxElementSize: maxElementSize) == items)
        }
        return items
    }

    private func event(_ data: String, type: String = "message", id: String = "") -> Result {
        .element(.event(ServerSentEvent(type: type, data: data, id: id)))
    }

    private func comment(_ text: String) -> Result { .element(.comment(text)) }

    // MARK: The examples of the standard

    @Test func joinsDataLines() {
        #expect(items("data: YHOO\ndata: +2\ndata: 10\n\n") == [event("YHOO\n+2\n10")])
    }

    @Test func deliversTheStandardsFourBlocks() {
        let stream = """
            : test stream

            data: first event
            id: 1

            data:second event
            id

            data:  third event

            """
        #expect(
            items("\(stream)\n") == [
                comment("test stream"), event("first event", id: "1"), event("second event"), event(" third event"),
            ])
        // Without its blank line, the last event is unfinished.
        #expect(
            items(stream) == [
                comment("test stream"), event("first event", id: "1"), event("second event"),
            ])
    }

    @Test func deliversEmptyEvents() {
        #expect(items("data\n\ndata\ndata\n\ndata:") == [event(""), event("\n")])
    }

    @Test func ignoresOneSpaceAfterTheColon() {
        #expect(
            items("data:test\n\ndata: test\n\ndata:  test\n\ndata:\ttest\n\n") == [
                event("test"), event("test"), event(" test"), event("\ttest"),
            ])
    }

    // MARK: Fields

    @Test func namesTheType() {
        #expect(
            items("event: add\ndata: 1\n\ndata: 2\n\nevent:\ndata: 3\n\nevent: a\nevent: b\ndata: 4\n\n") == [
                event("1", type: "add"), event("2"), event("3"), event("4", type: "b"),
            ])
        #expect(items("event: lost\n\ndata: 1\n\n") == [event("1")])
    }

    @Test func keepsTheIDUntilTheNext() {
        #expect(
            items("id: 1\ndata: a\n\ndata: b\n\nid: 2\nid: 3\ndata: c\n\nid:\ndata: d\n\nid\ndata: e\n\n") == [
                event("a", id: "1"), event("b", id: "1"), event("c", id: "3"), event("d"), event("e"),
            ])
        #expect(items("data: a\n\nid\ndata: b\n\n", lastEventID: "7") == [event("a", id: "7"), event("b")])
    }

    @Test func commitsTheIDOfABlockWithoutData() {
        #expect(items("id: 1\n\ndata: a\n\n") == [.element(.id("1")), event("a", id: "1")])
        #expect(items("id: 7\n\nid\n\n\n\n", lastEventID: "7") == [.element(.id(""))])
    }

    @Test func ignoresAnIDWithNUL() {
        #expect(items("id: 1\nid: 2\u{0}3\nid: \u{0}\ndata: a\n\n") == [event("a", id: "1")])
    }

    @Test func ignoresUnknownFields() {
        #expect(items("Data: a\n data: b\ndata : c\nfoo: d\ndatax: e\nid2\nfoo\ndata: f\n\n") == [event("f")])
    }

    @Test func returnsComments() {
        #expect(
            items(":\n: a\n:  b:c\ndata: 1\n:\n\n") == [
                comment(""), comment("a"), comment(" b:c"), comment(""), event("1"),
            ])
    }

    @Test(arguments: [
        ("0", 0), ("250", 250), ("0003", 3), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_647),
        ("99999999999999999999999999999999999999", 2_147_483_647),
    ])
    func returnsTheReconnectionTime(text: String, milliseconds: Int) {
        #expect(
            items("retry: \(text)\ndata: 1\n\n") == [
                .element(.retry(.milliseconds(milliseconds))), event("1"),
            ])
    }

    @Test(arguments: ["", "-1", "+1", "1.5", "1000x", " 1", "1 ", "٣", "0x10", "1e3"])
    func ignoresAnInvalidReconnectionTime(text: String) {
        #expect(items("retry: \(text)\nretry\ndata: 1\n\n") == [event("1")])
    }

    // MARK: Lines and bytes

    @Test func endsALineWithAnyMixOfLineBreaks() {
        let stream = "data: a\rdata: b\r\ndata: c\n\ndata: d\r\r\ndata: e\n\r\ndata: f\r\n\r\r\n\ndata: g\n\r"
        #expect(items(Data(stream.utf8)) == [event("a\nb\nc"), event("d"), event("e"), event("f"), event("g")])
    }

    @Test func deliversAtACarriageReturn() throws {
        var framing = EventStreamFraming(maxElementSize: 1 << 20)
        framing.append(Data("data: a\r\n\r".utf8))
        #expect(try framing.next() == .event(ServerSentEvent(data: "a")))
        framing.append(Data("\n".utf8))
        #expect(try framing.next() == nil)
        framing.append(Data("data: b\r\r".utf8))
        #expect(try framing.next() == .event(ServerSentEvent(data: "b")))
    }

    @Test func ignoresAByteOrderMarkAtTheStartAlone() {
        #expect(items("\u{FEFF}data: a\n\n") == [event("a")])
        #expect(items("\u{FEFF}\u{FEFF}data: a\n\ndata: b\n\n") == [event("b")])
        #expect(items("data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n") == [event("a"), event("\u{FEFF}c")])
        #expect(items(Data([0xEF, 0xBB]) + Data("data: a\n\ndata: b\n\n".utf8)) == [event("b")])
        #expect(items(Data([0xEF, 0xBB])) == [])
    }

    @Test func repairsInvalidText() {
        let bytes =
            Data("data: a".utf8) + [0xFF, 0x62, 0xF0, 0x9F, 0x8E, 0x0A] + Data("data: ü🎈\nid: ".utf8)
            + [0xE2, 0x82, 0x0A, 0x0A]
        #expect(items(bytes) == [event("a\u{FFFD}b\u{FFFD}\nü🎈", id: "\u{FFFD}")])
        // One replacement for each maximal subpart, as the Encoding standard requires.
        #expect(
            items(Data("data:".utf8) + [0xF0, 0x80, 0x80, 0x41, 0xE1, 0x80, 0x41, 0xED, 0xA0, 0x80, 0x0A, 0x0A]) == [
                event("\u{FFFD}\u{FFFD}\u{FFFD}A\u{FFFD}A\u{FFFD}\u{FFFD}\u{FFFD}")
            ])
    }

    // MARK: Ends

    @Test(arguments: [
        "data: b", "data: b\n", "id: 2\ndata: b\n", "id: 2\n", "id: 2", "retry: 5", ": comment", "event: x\ndata: b\n:",
    ])
    func discardsAnUnfinishedEvent(rest: String) {
        #expect(items("id: 1\ndata: a\n\n\(rest)") == [event("a", id: "1")])
    }

    @Test func doesNotCommitTheIDOfAnUnfinishedEvent() throws {
        var framing = EventStreamFraming(lastEventID: "0", maxElementSize: 1 << 20)
        #expect(framing.lastEventID == "0")
        framing.append(Data("id: 1\ndata: a\n\nid: 2\ndata: b\n".utf8))
        #expect(try framing.next() == .event(ServerSentEvent(data: "a", id: "1")))
        #expect(try framing.next() == nil)
        framing.finish()
        #expect(try framing.next() == nil)
        #expect(framing.lastEventID == "1")
    }

    // MARK: Limits

    @Test func allowsAnEventOfTheLimit() {
        #expect(items("data:abcde\n\n", maxElementSize: 10) == [event("abcde")])
        #expect(items("data:abcd\ndata:efghi\n\n", maxElementSize: 10) == [event("abcd\nefghi")])
    }

    @Test(arguments: ["data:abcdef", ":abcdefghij", "abcdefghijk", "data:ab\ndata:cd\ndata:efghi"])
    func failsForAnEventBeyondTheLimit(stream: String) {
        for rest in ["", "\n", "\n\ndata:b\n\n"] {
            let items = items("data:a\n\n\(stream)\(rest)", maxElementSize: 10)
            // An unfinished line may still be within the limit.
            let expected = [event("a"), .failure(.elementTooLarge(limit: 10))]
            #expect(items == expected || (rest == "" && stream.contains("\n") && items == [event("a")]))
        }
    }
}

@Suite struct ServerSentEventTests {
    private struct Item: Decodable, Equatable {
        let number: Int
    }

    @Test func decodesItsData() throws {
        let event = ServerSentEvent(data: #"{"number":1}"#)
        #expect(try event.decoded(as: Item.self) == Item(number: 1))
        #expect(try event.decoded(as: String.self) == event.data)
        #expect(try event.decoded(as: Data.self) == Data(event.data.utf8))
        let number: Int = try event.decoded(using: JSONDecoder().unwrapping("number"))
        #expect(number == 1)
        #expect(throws: DecodingError.self) { try ServerSentEvent(data: "{").decoded(as: Item.self) }
        #expect(event.type == "message" && event.id == "")
    }
}
