import Testing

@testable import StreamsHTTP

@Suite struct CurlProfileTests {
    private func profile(isPaced: Bool = false, besides others: Int) throws -> CurlProfile {
        let url = try #require(URL(string: "http://h/"))
        return CurlProfile(TransportRequest(method: .get, url: url, isPaced: isPaced), bodyLength: nil, besides: others)
    }

    @Test func exchangesBesideManyOthersReadLittleAtATime() throws {
        #expect(try !profile(besides: 999).isOneOfMany)
        #expect(try profile(besides: 1000).isOneOfMany)
        #expect(try !profile(isPaced: true, besides: 1000).isOneOfMany)
    }

    @Test func aHandleThatReadsLittleServesNoOther() throws {
        #expect(try profile(besides: 0) == profile(besides: 999))
        #expect(try profile(besides: 0) != profile(besides: 1000))
    }
}
