import StreamsLoopback
import Testing

/// Responses whose fields contradict each other or those of the first response.
extension DownloadTests {
    /// Serves a part that cannot be appended, after a response that breaks off.
    private func expectStartingOver(after part: Reply, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let resource = resource
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            case 2: part
            default: resource.reply(to: request)
            }
        }
        let recording = try await downloadTwice()
        try expectFile(resource, sourceLocation: sourceLocation)
        #expect(
            recording.outline == ["over: range-mismatch", "progress", "finished"], sourceLocation: sourceLocation)
    }

    private static let right = "bytes 40000-99999/100000"

    @Test(arguments: [
        [right, "bytes 0-59999/100000"], ["bytes 0-59999/100000", right], [right, "bytes */100000"], [right, ""],
        [right, right, "bytes 40000-99999/100001"],
    ]) func startsOverAfterContradictingRanges(ranges: [String]) async throws {
        var part = resource.part(Self.broken..<Self.size, contentRange: ranges[0])
        for range in ranges.dropFirst() { part.headers.append("Content-Range", range) }
        try await expectStartingOver(after: part)
    }

    @Test func resumesAfterARangeThatIsSentTwice() async throws {
        var part = resource.part(Self.broken..<Self.size)
        part.headers.append("Content-Range", Self.right)
        let first = resource.whole.failing(with: .close(at: .inBody(after: Self.broken)))
        server.on("GET", "/") { [part] in $0.turn == 1 ? first : part }
        #expect(try await downloadTwice().outline == ["resuming 40000", "progress", "finished"])
        try expectFile(resource)
    }

    @Test func startsOverAfterContradictingTags() async throws {
        var part = resource.part(Self.broken..<Self.size)
        part.headers.append("ETag", #""v2""#)
        try await expectStartingOver(after: part)
    }

    @Test func contradictingTagsAreNoValidator() async throws {
        let resource = RangedResource(
            size: Self.size, headers: (["ETag": #""v1""#] as HeaderFields).adding("ETag", #""v2""#))
        serve(resource)
        #expect(try await downloadTwice().outline == ["over: not-resumable", "progress", "finished"])
        try expectFile(resource)
        #expect(server.requests.map { $0.headers["Range"] } == [nil, nil])
    }

    @Test(arguments: ["gzip", "br", "gzip, gzip"]) func startsOverAfterAPartWithAnotherCoding(coding: String)
        async throws
    {
        var part = resource.part(Self.broken..<Self.size)
        part.headers.append("Content-Encoding", coding)
        try await expectStartingOver(after: part)
    }

    @Test func resumesAPartWithTheSameCoding() async throws {
        let encoded = RangedResource(size: Self.size, headers: ["ETag": #""v1""#, "Content-Encoding": "gzip"])
        serve(encoded)
        #expect(try await downloadTwice().outline == ["resuming 40000", "progress", "finished"])
        try expectFile(encoded)
    }

    @Test func startsOverAfterAPartWithoutTheCoding() async throws {
        let encoded = RangedResource(size: Self.size, headers: ["ETag": #""v1""#, "Content-Encoding": "gzip"])
        let part = resource.part(Self.broken..<Self.size)
        server.on("GET", "/") { request in
            switch request.turn {
            case 1: encoded.whole.failing(with: .close(at: .inBody(after: Self.broken)))
            case 2: part
            default: encoded.reply(to: request)
            }
        }
        #expect(try await downloadTwice().outline == ["over: range-mismatch", "progress", "finished"])
        try expectFile(encoded)
    }

    @Test func aTagThatNoServerAcceptsIsNoValidator() async throws {
        serve(RangedResource(size: Self.size, headers: ["ETag": "\"\(String(repeating: "x", count: 9000))\""]))
        #expect(try await downloadTwice().outline == ["over: not-resumable", "progress", "finished"])
        try expectFile(resource)
        #expect(server.requests.map { $0.headers["If-Range"] } == [nil, nil])
    }
}
