import Testing

@testable import StreamsHTTP

@Suite struct JSONSequenceFramingTests {
    /// Returns the results for a text in which `^` stands for RS.
    private func texts(_ text: String, maxElementSize: Int = 100) -> [FramingResult<Data>] {
        let bytes = Data(text.replacing("^", with: "\u{1E}").utf8)
        return JSONSequenceFraming(maxElementSize: maxElementSize).resultsOfEachSplit(of: bytes)
    }

    private func elements(_ texts: String...) -> [FramingResult<Data>] {
        texts.map { .element(Data($0.utf8)) }
    }

    @Test func returnsTexts() {
        #expect(texts("") == [])
        #expect(texts("^{\"a\":1}\n^[2]\n") == elements("{\"a\":1}", "[2]"))
        #expect(texts("^1\n^\"b\"\n^null\n^-1.5e3\n") == elements("1", "\"b\"", "null", "-1.5e3"))
        #expect(texts("^\n{\n \"a\" : [\n1,\n2]\n}\n^2\n") == elements("\n{\n \"a\" : [\n1,\n2]\n}", "2"))
        #expect(texts("^\"}]\\\"[{\"\n^\"\\\\\"\n^3\n") == elements("\"}]\\\"[{\"", "\"\\\\\"", "3"))
    }

    @Test func ignoresEmptyTextsAndWhitespaceBetweenTexts() {
        #expect(texts("^^^1\n \r\n\t^^ \n^2\n^") == elements("1", "2"))
        #expect(texts("\n ^1\n") == elements("1"))
    }

    @Test func returnsATextBeforeTheNextBegins() throws {
        var framing = JSONSequenceFraming(maxElementSize: 1 << 20)
        framing.append(Data("\u{1E}{\"a\":\n1}".utf8))
        #expect(try framing.next() == nil)
        framing.append(Data("\n".utf8))
        #expect(try framing.next() == Data("{\"a\":\n1}".utf8))
    }

    @Test func acceptsATextWithoutLineFeedIfItsEndShows() {
        #expect(texts("^{\"a\":1}^[2]^\"b\"") == elements("{\"a\":1}", "[2]", "\"b\""))
        #expect(texts("^12 ^true\t") == elements("12 ", "true\t"))
    }

    @Test(arguments: ["{\"a\":1", "{\"a\":\n", "\"abc", "\"abc\n", "\"abc\\\"", "[1,[2]", "1", "tru", "null"])
    func reportsATruncatedText(text: String) {
        #expect(texts("^0\n^\(text)^1\n") == elements("0") + [.failure(.truncatedElement)] + elements("1"))
        #expect(texts("^0\n^\(text)") == elements("0") + [.failure(.truncatedElement)])
    }

    @Test func reportsBytesOutsideOfTexts() {
        #expect(texts("abc\n^1\n") == [.failure(.unexpectedBytes)] + elements("1"))
        #expect(texts("^1\n2\n3\n^4\n") == elements("1") + [.failure(.unexpectedBytes)] + elements("4"))
        #expect(texts("{\"a\":1}\n") == [.failure(.unexpectedBytes)])
    }

    @Test func leavesOtherMistakesToTheDecoder() {
        #expect(texts("^]]}\n^1 2\n^{}x\n") == elements("]]}", "1 2", "{}x"))
    }

    @Test(arguments: ["\n", "^", "", "xyz\n^4\n"])
    func failsAfterTheElementsBeforeALongText(rest: String) {
        let expected = elements("1") + [.failure(.elementTooLarge(limit: 4))]
        #expect(texts("^1\n^[\"bcd\(rest)", maxElementSize: 4) == expected)
        #expect(texts("^[bc]\n", maxElementSize: 4) == elements("[bc]"))
    }
}
