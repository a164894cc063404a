import Testing

@testable import StreamsHTTP

@Suite struct HTTP1OriginsTests {
    private let origins = HTTP1Origins()
    private let now = MonotonicTime.now

    private func request(
        _ url: String, _ options: RequestOptions.Connection = RequestOptions.Connection()
    ) throws -> TransportRequest {
        TransportRequest(method: .get, url: try #require(URL(string: url)), connection: options)
    }

    @Test func anOriginIsRememberedForAWhile() throws {
        try origins.insert(request("https://a.example/x"), now: now)
        #expect(try origins.contains(request("https://A.example:443/y"), now: now + .seconds(599)))
        #expect(try !origins.contains(request("https://a.example/x"), now: now + .seconds(600)))
        #expect(try !origins.contains(request("https://b.example/x"), now: now))
    }

    @Test func otherOptionsMayLeadToAnotherServer() throws {
        try origins.insert(request("https://a.example/"), now: now)
        #expect(
            try !origins.contains(
                request("https://a.example/", RequestOptions.Connection.with { $0.unixSocketPath = "/a" }), now: now))
    }

    @Test func anOriginCanBeForgotten() throws {
        try origins.insert(request("https://a.example/"), now: now)
        try origins.remove(request("https://a.example/b"))
        #expect(try !origins.contains(request("https://a.example/"), now: now))
    }

    @Test func onlySoManyAreRemembered() throws {
        for index in 0..<5000 { try origins.insert(request("https://\(index).example/"), now: now) }
        let count = try (0..<5000).count { try origins.contains(request("https://\($0).example/"), now: now) }
        #expect((1...4096).contains(count))
        #expect(try origins.contains(request("https://4999.example/"), now: now))
    }
}
