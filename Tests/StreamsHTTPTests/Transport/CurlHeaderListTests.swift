import CLibcurl
import Testing

@testable import StreamsHTTP

@Suite struct CurlHeaderListTests {
    private func lines(_ headers: HTTPHeaders, hasBody: Bool = false, codings: String? = nil) -> [String] {
        let list = CurlHeaderList(headers, hasBody: hasBody, codings: codings)
        defer { list.deallocate() }
        var lines: [String] = []
        var link = list.first
        while let found = link {
            lines.append(String(cString: found.pointee.data))
            link = found.pointee.next
        }
        return lines
    }

    @Test func fieldsAreLines() {
        #expect(lines(["Accept": "*/*", "A": "1", "Empty": "", "B": "ü"]) == ["A: 1", "Empty;", "B: ü"])
        #expect(lines(["Accept": "*/*"]) == [])
    }

    @Test func aBodyWaitsForNoPermissionThatNobodyAsksFor() {
        #expect(lines(["Accept": "*/*", "A": "1"], hasBody: true) == ["A: 1", "Expect:"])
        #expect(lines(["Accept": "*/*", "expect": "100-continue"], hasBody: true) == ["expect: 100-continue"])
    }

    @Test func codingsAreAskedForWhereNobodyElseSaysWhich() {
        #expect(lines(["Accept": "*/*", "A": "1"], codings: "gzip") == ["A: 1", "Accept-Encoding: gzip"])
        #expect(lines(["Accept": "*/*", "accept-encoding": "br"], codings: "gzip") == ["accept-encoding: br"])
        #expect(lines(["Accept": "*/*"], hasBody: true, codings: "gzip") == ["Accept-Encoding: gzip", "Expect:"])
    }

    @Test func whatIsSaidAnywayIsLeftOut() {
        #expect(lines(["Accept": "*/*", "A": "1"]) == ["A: 1"])
        #expect(lines(["Accept": "text/plain"]) == ["Accept: text/plain"])
        #expect(lines(["Accept": "*/*", "accept": "text/plain"]) == ["Accept: */*", "accept: text/plain"])
    }

    /// libcurl adds the field by itself, unless a line removes it.
    @Test func aFieldThatWasRemovedStaysAway() {
        #expect(lines([:]) == ["Accept:"])
        #expect(lines(["A": "1"], codings: "gzip") == ["A: 1", "Accept:", "Accept-Encoding: gzip"])
    }
}
