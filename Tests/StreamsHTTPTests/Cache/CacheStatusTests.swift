import Testing

@testable import StreamsHTTP

/// The members of `Cache-Status` (RFC 9211).
@Suite struct CacheStatusTests {
    @Test func hitsTellTheRemainingTime() {
        #expect(CacheStatus(hitWithTimeToLive: .seconds(30)).description == "Streams; hit; ttl=30")
        #expect(CacheStatus(hitWithTimeToLive: .milliseconds(-1)).description == "Streams; hit; ttl=-1")
        #expect(CacheStatus(hitWithTimeToLive: .milliseconds(1999)).description == "Streams; hit; ttl=1")
    }

    @Test func forwardingTellsItsReason() {
        let names = ["bypass", "method", "uri-miss", "vary-miss", "request", "stale", "partial"]
        let members = CacheStatus.ForwardReason.allCases.map { CacheStatus(forwardedFor: $0).description }
        #expect(members == names.map { "Streams; fwd=\($0)" })
    }

    @Test func allParametersAreTold() {
        var status = CacheStatus(forwardedFor: .stale)
        status.forwardStatus = .ok
        status.isStored = true
        status.isCollapsed = true
        #expect(status.description == "Streams; fwd=stale; fwd-status=200; stored; collapsed")
        #expect(!status.isHit && !status.isStale && !status.isValidated)
    }

    @Test func aValidationIsNoHit() {
        var status = CacheStatus(forwardedFor: .stale)
        status.forwardStatus = .notModified
        #expect(!status.isValidated)
        status.isStoredResponse = true
        #expect(status.isValidated && !status.isHit)
    }
}
