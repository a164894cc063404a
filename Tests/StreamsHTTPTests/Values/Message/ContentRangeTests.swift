import Testing

@testable import StreamsHTTP

struct ContentRangeTests {
    private func range(_ fields: String...) -> ContentRange? {
        var headers = HTTPHeaders()
        for field in fields { headers.add("Content-Range", field) }
        return ContentRange(
            of: HTTPResponse(status: .partialContent, headers: headers, body: (), url: URL(literal: "http://h/")))
    }

    @Test func readsARangeOfBytes() {
        #expect(range("bytes 4-9/10")?.bounds == 4...9)
        #expect(range("BYTES 4-9/10")?.total == 10)
        #expect(range("bytes */10")?.total == 10)
        #expect(range("bytes */10")?.bounds == nil)
        #expect(range("bytes 4-9/*")?.bounds == 4...9)
        #expect(range("bytes 4-9/*")?.total == nil)
    }

    @Test(arguments: [
        "", "bytes", "bytes */*", "bytes 4-9/", "bytes 9-4/10", "bytes 4-10/10", "items 4-9/10",
        "bytes 4-9/10, bytes 4-9/10",
    ])
    func refusesOtherValues(text: String) {
        #expect(range(text) == nil)
    }

    @Test func refusesFieldsThatContradictEachOther() {
        #expect(range("bytes 4-9/10", "bytes 4-9/10")?.bounds == 4...9)
        #expect(range("bytes 4-9/10", "bytes 0-5/10") == nil)
        #expect(range("bytes 4-9/10", "bytes */10") == nil)
        #expect(range("bytes 4-9/10", "") == nil)
        #expect(range() == nil)
    }
}
