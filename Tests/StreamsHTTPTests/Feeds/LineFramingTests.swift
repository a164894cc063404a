import Testing

@testable import StreamsHTTP

@Suite struct LineFramingTests {
    private func lines(_ text: String, maxElementSize: Int = 100) -> [FramingResult<String>] {
        lines(Data(text.utf8), maxElementSize: maxElementSize)
    }

    private func lines(_ bytes: Data, maxElementSize: Int = 100) -> [FramingResult<String>] {
        let texts = LineFraming<String>(maxElementSize: maxElementSize).resultsOfEachSplit(of: bytes)
        let data = LineFraming<Data>(maxElementSize: maxElementSize).resultsOfEachSplit(of: bytes)
        #expect(texts == data.map { $0.map { String(decoding: $0, as: UTF8.self) } })
        return texts
    }

    @Test(arguments: [
        ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("\n\na\n\n", ["", "", "a", ""]), ("a\r\r\nb", ["a\r", "b"]), ("a\rb\n\rc\n", ["a\rb", "\rc"]),
        ("a\r", ["a"]), ("\r", [""]), ("a\u{2028}b\u{85}\u{B}\u{C}c\n", ["a\u{2028}b\u{85}\u{B}\u{C}c"]),
        ("ü€🎈\n\u{0}\n", ["ü€🎈", "\u{0}"]),
    ])
    func splitsAtLineFeeds(text: String, expected: [String]) {
        #expect(lines(text) == expected.map { .element($0) })
    }

    @Test func repairsInvalidText() {
        let bytes = Data([0x61, 0xFF, 0x0A, 0xE2, 0x82, 0x0A, 0xF0, 0x9F])
        #expect(lines(bytes) == ["a\u{FFFD}", "\u{FFFD}", "\u{FFFD}"].map { .element($0) })
    }

    @Test(arguments: ["\n", "\r\n", ""])
    func allowsALineOfTheLimit(lineBreak: String) {
        #expect(lines("a\nabcd\(lineBreak)", maxElementSize: 4) == [.element("a"), .element("abcd")])
    }

    @Test(arguments: ["\n", "\r\n", "", "\r", "fgh\nxyz\n"])
    func failsAfterTheElementsBeforeALongLine(rest: String) {
        let expected: [FramingResult<String>] = [.element("a"), .failure(.elementTooLarge(limit: 4))]
        #expect(lines("a\nabcde\(rest)", maxElementSize: 4) == expected)
    }

    @Test func failsAsSoonAsTheLimitIsPassed() throws {
        var framing = LineFraming<Data>(maxElementSize: 4)
        framing.append(Data("abcd".utf8))
        #expect(try framing.next() == nil)
        framing.append(Data("e".utf8))
        #expect(throws: FramingError.elementTooLarge(limit: 4)) { try framing.next() }
        framing.append(Data("\nf\n".utf8))
        #expect(try framing.next() == nil)
    }

    @Test func returnsLinesOfAnySliceOfData() throws {
        var framing = LineFraming<Data>(maxElementSize: 1 << 20)
        framing.append(Data("xxab\ncd\nxx".utf8)[2..<8])
        let line = try #require(try framing.next())
        #expect(line == Data("ab".utf8))
        #expect(line.startIndex == 0)
        #expect(try framing.next() == Data("cd".utf8))
        #expect(try framing.next() == nil)
    }

    /// A minute would not be enough if each chunk moved or searched all bytes before it.
    @Test(.timeLimit(.minutes(1)))
    func takesConstantTimeForEachByte() throws {
        var (lines, events, texts) = (
            LineFraming<Data>(maxElementSize: 1 << 24), EventStreamFraming(maxElementSize: 1 << 24),
            JSONSequenceFraming(maxElementSize: 1 << 24)
        )
        events.append(Data("data:".utf8))
        texts.append(Data([0x1E]))
        var content = Data()
        for number in 0..<(1 << 18) {
            let chunk = Data("x\(100_000_000_000_000 + number)".utf8)
            content.append(chunk)
            lines.append(chunk)
            try #require(try lines.next() == nil)
            events.append(chunk)
            try #require(try events.next() == nil)
            texts.append(chunk)
            try #require(try texts.next() == nil)
        }
        let end = Data("\n\n".utf8)
        lines.append(end)
        events.append(end)
        texts.append(end)
        #expect(content.count == 1 << 22)
        let isWholeLine = try lines.next() == content
        let isWholeText = try texts.next() == content
        #expect(isWholeLine && isWholeText)
        guard case .event(let event)? = try events.next() else {
            Issue.record("there is no event")
            return
        }
        let isWholeEvent = Data(event.data.utf8) == content
        #expect(isWholeEvent)
    }
}

extension FramingResult {
    fileprivate func map<Other>(_ transform: (Element) -> Other) -> FramingResult<Other> {
        switch self {
        case .element(let element): .element(transform(element))
        case .failure(let error): .failure(error)
        }
    }
}
