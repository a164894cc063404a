import Testing

@testable import StreamsHTTP

@Suite struct HTTPQueryTests {
    private enum Pagination: HTTPQuery.Parameter {
        case offset(Int)
        case limit(Int)

        var queryItem: HTTPQuery.Item {
            switch self {
            case .offset(let count): HTTPQuery.Item("offset", "\(count)")
            case .limit(let count): HTTPQuery.Item("limit", "\(count)")
            }
        }
    }

    private enum Filter: HTTPQuery.Parameter {
        case term(String)

        var queryItem: HTTPQuery.Item {
            switch self {
            case .term(let text): HTTPQuery.Item("term", text)
            }
        }
    }

    @Test func literalsKeepTheirOrderAndTheirDuplicates() {
        let query: HTTPQuery = ["b": "1", "a": "2", "b": "3", "flag": nil]
        #expect(query.percentEncoded == "b=1&a=2&b=3&flag")
        #expect(query.values(for: "b") == ["1", "3"])
    }

    @Test func parametersOfDifferentKindsMakeAQuery() {
        let query: HTTPQuery = [Filter.term("apple pie"), Pagination.limit(5), HTTPQuery.Item("x", nil)]
        #expect(query.percentEncoded == "term=apple%20pie&limit=5&x")
        let parameters: [any HTTPQuery.Parameter] = [Pagination.offset(1), Filter.term("a")]
        #expect(HTTPQuery(parameters).description == "offset=1&term=a")
        #expect(HTTPQuery([Pagination.offset(1), .limit(2)]).description == "offset=1&limit=2")
    }

    @Test func pairsKeepTheirOrderAndDictionariesHaveTheirNames() {
        #expect(HTTPQuery([("b", "1"), ("a", "2")]).description == "b=1&a=2")
        let dictionary = ["c": "3", "a": "1", "b": "2"]
        #expect(HTTPQuery(dictionary).description == "a=1&b=2&c=3")
    }

    @Test func settingReplacesInPlaceAndReplacingAddsNothing() {
        var query: HTTPQuery = ["a": "1", "b": "2", "a": "3"]
        query["a"] = "4"
        #expect(query.percentEncoded == "a=4&b=2")
        let hasReplaced = query.replace("c", with: "5")
        #expect(!hasReplaced)
        query.set("c", "6")
        query["b"] = nil
        #expect(query == ["a": "4", "c": "6"])
    }

    @Test func ownItemsWinOverDefaults() {
        let own: HTTPQuery = ["a": "1"]
        #expect(own.merging(defaults: ["a": "2", "b": "3"]) == ["a": "1", "b": "3"])
    }
}
