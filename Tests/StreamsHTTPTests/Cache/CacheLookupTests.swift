import Foundation
import Testing

@testable import StreamsHTTP

/// Which stored response is found for a request, and where another one is stored.
@Suite struct CacheLookupTests {
    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=60"]
    private var cache = CacheRecords()

    private func get(_ headers: HTTPHeaders = [:]) -> TransportRequest {
        .cached(.get, "http://a.example/x", headers)
    }

    /// Returns the number of the stored response that a request finds.
    private func found(_ headers: HTTPHeaders = [:]) -> String? {
        cache.lookup(get(headers)).found?.response.headers["N"]
    }

    private mutating func store(_ number: String, _ headers: HTTPHeaders = [:], vary: String? = nil) {
        var response: HTTPHeaders = ["Cache-Control": "max-age=60", "N": number]
        if let vary { response.set("Vary", vary) }
        cache.store(get(headers), response)
    }

    @Test mutating func aResponseWithoutVaryIsUnderTheURL() {
        store("1")
        #expect(cache.records.count == 1)
        #expect(found() == "1" && found(["Accept": "x"]) == "1")
        store("2", ["Accept": "x"])
        #expect(cache.records.count == 1 && found() == "2")
        #expect(cache.lookup(.cached(.get, "http://a.example/y")).found == nil)
    }

    @Test mutating func variantsAreSelectedByTheirFields() {
        store("1", ["Accept": "a"], vary: "Accept")
        store("2", ["Accept": "b"], vary: "accept")
        #expect(found(["Accept": "a"]) == "1" && found(["accept": "b"]) == "2")
        #expect(found(["Accept": "c"]) == nil && found() == nil)
        #expect(cache.decision(get()).reason == .varyMiss)
        store("3", vary: "Accept")
        #expect(found() == "3" && found(["Accept": ""]) == nil)
        #expect(cache.generation == 3 && cache.records.count == 4)
    }

    @Test(
        arguments: [
            ("X", ["1, 2"], ["1", "2"], true), ("X", ["1,2"], [" 1 , 2 "], true), ("X", ["a"], ["A"], false),
            ("X", ["1, 2"], ["2, 1"], false), ("X", ["\"a,b\""], ["\"a, b\""], false), ("X", [""], [","], true),
            ("Accept-Language", ["en, de"], ["DE , en;q=1.0"], true),
            ("Accept-Language", ["en;q=0.5, de"], ["en, de;q=0.5"], false),
            ("Accept-Language", ["en, de;q=0"], ["en, de"], false),
        ] as [(String, [String], [String], Bool)])
    mutating func valuesAreNormalized(name: String, first: [String], second: [String], isEqual: Bool) {
        store("1", HTTPHeaders(first.map { HTTPHeaders.Field(name: name, value: $0) }), vary: name)
        let headers = HTTPHeaders(second.map { HTTPHeaders.Field(name: name, value: $0) })
        #expect((found(headers) == "1") == isEqual)
    }

    /// A response with fewer fields does not make the others unreachable, and one with more takes part.
    @Test mutating func theFieldsOfVariantsAreCombined() {
        store("1", ["A": "1"], vary: "A")
        store("2", ["A": "2"])
        #expect(found(["A": "1"]) == "1" && found(["A": "2"]) == "2")
        store("3", ["A": "3", "B": "1"], vary: "B")
        #expect(found(["A": "3", "B": "1"]) == "3" && found(["A": "3", "B": "2"]) == nil)
        // It is stored under other fields.
        #expect(found(["A": "1"]) == nil)
        guard case .variants(1, ["a", "b"]) = cache.lookup(get()).root else {
            Issue.record("\(String(describing: cache.lookup(get()).root))")
            return
        }
    }

    @Test mutating func tooManyFieldsBeginANewGeneration() {
        store("1", vary: (0..<10).map { "X-\($0)" }.joined(separator: ","))
        store("2", ["X-0": "a"], vary: (5..<16).map { "X-\($0)" }.joined(separator: ","))
        #expect(found(["X-0": "a"]) == "2" && found() == nil)
        store("3", ["Y": "a"], vary: "Y")
        #expect(found(["Y": "a"]) == "3" && found(["Y": "a", "X-0": "a"]) == "3" && found(["X-0": "a"]) == nil)
        guard case .variants(3, ["y"]) = cache.lookup(get()).root else {
            Issue.record("\(String(describing: cache.lookup(get()).root))")
            return
        }
    }

    @Test mutating func removingTheFirstRecordRemovesAll() throws {
        store("1", ["A": "1"], vary: "A")
        store("2", ["A": "2"], vary: "A")
        cache.records[cache.lookup(get()).rootKey] = nil
        #expect(found(["A": "1"]) == nil)
        store("3", ["A": "2"], vary: "A")
        #expect(found(["A": "1"]) == nil && found(["A": "2"]) == "3")
    }

    // MARK: Credentials

    @Test mutating func aResponseBelongsToItsCredentials() {
        store("1", ["Authorization": "a"])
        store("2", ["Authorization": "b"])
        #expect(found(["Authorization": "a"]) == "1" && found(["Authorization": "b"]) == "2")
        #expect(found(["Authorization": "c"]) == nil && found() == nil && found(["Cookie": "a"]) == nil)
        store("3")
        #expect(found() == "3" && found(["Authorization": "a"]) == "1" && found(["Authorization": "c"]) == nil)
    }

    @Test mutating func aResponseWithoutCredentialsIsNotUsedForOthers() {
        store("1")
        #expect(found(["Authorization": "a"]) == nil && found(["X-Api-Key": "a"]) == nil)
        #expect(found(["Authorization": "a", "Cookie": "b"]) == nil)
        #expect(cache.decision(get(["Authorization": "a"])).reason == .varyMiss)
        store("2", ["Authorization": "a"])
        #expect(found(["Authorization": "a"]) == "2")
    }

    @Test mutating func aFreshResponseWithoutCredentialsIsUsedForCookies() {
        store("1")
        #expect(cache.decision(get(["Cookie": "a"])).served?.stored.headers["N"] == "1")
        // It is not validated, and does not answer in place of an error.
        let forwarding = cache.decision(get(["Cookie": "a"]), after: 60).forwarded
        #expect(forwarding?.reason == .varyMiss && forwarding?.stored == nil && forwarding?.isConditional == false)
        let validating = cache.decision(get(["Cookie": "a", "Cache-Control": "no-cache"])).forwarded
        #expect(validating?.stored == nil)
        store("2", ["Cookie": "a"])
        #expect(found(["Cookie": "a"]) == "2" && found(["Cookie": "b"]) == nil)
        store("3")
        #expect(found(["Cookie": "a"]) == "2" && found(["Cookie": "b"]) == "3" && found() == "3")
    }

    @Test mutating func cookiesSelectOnlyTheirOwnVariant() {
        store("1", vary: "Cookie, Accept")
        store("2", ["Cookie": "a"], vary: "Cookie, Accept")
        #expect(found(["Cookie": "a"]) == "2")
        #expect(found() == "1")
        #expect(found(["Cookie": "b"]) == nil)
    }

    /// Whatever a store returns, a response is used only for its own fields and credentials.
    @Test mutating func recordsOfOthersAreNotUsed() {
        store("1", ["Authorization": "a", "A": "1"], vary: "A")
        guard let key = cache.lookup(get(["Authorization": "a", "A": "1"])).found?.key else {
            Issue.record("not stored")
            return
        }
        var lookup = CacheLookup(get(["Authorization": "b", "A": "1"]), secret: cacheSecret)
        _ = lookup.next(after: cache.records[lookup.rootKey])
        #expect(lookup.next(after: cache.records[key]) == nil && lookup.found == nil)
        lookup = CacheLookup(get(["Authorization": "a", "A": "2"]), secret: cacheSecret)
        _ = lookup.next(after: cache.records[lookup.rootKey])
        #expect(lookup.next(after: cache.records[key]) == nil && lookup.found == nil)
        // Variants below variants are damage.
        lookup = CacheLookup(get(["Authorization": "a", "A": "1"]), secret: cacheSecret)
        _ = lookup.next(after: cache.records[lookup.rootKey])
        #expect(lookup.next(after: .variants(generation: 1, fields: [])) == nil && lookup.found == nil)
        #expect(lookup.next(after: cache.records[key]) == nil && lookup.found == nil)
    }
}
