import Testing

@testable import StreamsHTTP

@Suite struct CacheControlTests {
    private func control(_ fields: String..., pragma: String? = nil) -> CacheControl {
        var headers = HTTPHeaders(fields.map { HTTPHeaders.Field(name: "Cache-Control", value: $0) })
        if let pragma { headers.add("Pragma", pragma) }
        return CacheControl(request: headers)
    }

    @Test func readsAllFields() {
        let control = control(
            "Max-Age=\"60\", max-stale=5, min-fresh=7,, stale-while-revalidate=8",
            "stale-if-error=9,no-store,immutable",
            "MUST-REVALIDATE, must-understand, public, only-if-cached, no-cache, x=\"no-cache, max-age=1\"")
        #expect(control.maxAge == .seconds(60))
        #expect(control.maxStale == .limit(.seconds(5)))
        #expect(control.minFresh == .seconds(7))
        #expect(control.staleWhileRevalidate == .seconds(8))
        #expect(control.staleIfError == .seconds(9))
        #expect(control.isNoStore && control.isImmutable && control.mustRevalidate && control.mustUnderstand)
        #expect(control.isPublic && control.isOnlyIfCached && control.isNoCache)
    }

    @Test func unknownDirectivesAreIgnored() {
        let control = control("s-maxage=10, private, proxy-revalidate, no-transform, x=\"no-store\", no-store-x, ,=,\"")
        #expect(control == CacheControl(response: [:]))
    }

    @Test(
        arguments: [
            ("0", 0), ("007", 7), ("2147483648", 2_147_483_648), ("99999999999999999999999", 2_147_483_648),
            ("\"60\"", 60), ("-1", 0), ("+1", 0), ("1.0", 0), ("1s", 0), ("", 0), ("'60'", 0), ("0x10", 0), ("٣", 0),
        ] as [(String, Int64)])
    func malformedAgesAreZero(text: String, seconds: Int64) {
        #expect(control("max-age=\(text)").maxAge == .seconds(seconds))
    }

    @Test func anAgeWithoutNumberIsZero() {
        #expect(control("max-age").maxAge == .zero)
        #expect(control("public").maxAge == nil)
    }

    @Test func contradictoryAgesAreZero() {
        #expect(control("max-age=60, max-age=60").maxAge == .seconds(60))
        #expect(control("max-age=60", "max-age=61").maxAge == .zero)
        #expect(control("max-age=60, max-age=x, max-age=60").maxAge == .zero)
    }

    @Test func malformedAllowancesAreIgnored() {
        let control = control("max-stale=x, min-fresh=x, stale-while-revalidate, stale-if-error=-1")
        #expect(control == CacheControl(response: [:]))
        #expect(self.control("max-stale").maxStale == .any)
    }

    @Test(
        arguments: [
            ("no-cache=\"a, B\"", false, ["a", "b"]), ("no-cache=a", false, ["a"]), ("no-cache", true, []),
            ("no-cache=\"\"", true, []), ("no-cache=\"a b\"", true, []),
            ("no-cache=\"a\", no-cache", true, ["a"]), ("no-cache=\"a", false, ["a"]),
        ] as [(String, Bool, [String])])
    func noCacheMayNameFields(text: String, isNoCache: Bool, fields: [String]) {
        #expect(control(text).isNoCache == isNoCache)
        #expect(control(text).noCacheFields == Set(fields))
    }

    @Test func pragmaCountsWithoutCacheControl() {
        #expect(control(pragma: "x, NO-CACHE").isNoCache)
        #expect(!control("max-age=1", pragma: "no-cache").isNoCache)
        #expect(!CacheControl(response: ["Pragma": "no-cache"]).isNoCache)
    }
}
