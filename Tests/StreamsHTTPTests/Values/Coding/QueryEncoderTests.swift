import Foundation
import Testing

@testable import StreamsHTTP

@Suite struct QueryEncoderTests {
    private struct Search: Encodable {
        struct Page: Encodable {
            let size: Int
            let after: String?
        }

        let term: String
        let tags: [String]
        let page: Page
        let pages: [Page]
        let missing: Int?
    }

    private let search = Search(
        term: "a&b", tags: ["x", "y"], page: .init(size: 20, after: nil), pages: [.init(size: 1, after: "z")],
        missing: nil)

    private func names(_ encoder: QueryEncoder) throws -> [String] {
        try encoder.encode(search).map { "\($0.name)=\($0.value ?? "")" }
    }

    @Test func partsAreNamedInOrder() throws {
        #expect(
            try names(QueryEncoder()) == [
                "term=a&b", "tags=x", "tags=y", "page[size]=20", "pages[size]=1", "pages[after]=z",
            ])
        #expect(
            try names(QueryEncoder(arrays: .brackets)).suffix(5) == [
                "tags[]=x", "tags[]=y", "page[size]=20", "pages[][size]=1", "pages[][after]=z",
            ])
        #expect(
            try names(QueryEncoder(arrays: .indices)).suffix(5) == [
                "tags[0]=x", "tags[1]=y", "page[size]=20", "pages[0][size]=1", "pages[0][after]=z",
            ])
        #expect(
            try names(QueryEncoder(nesting: .dots, arrays: .indices)).suffix(5) == [
                "tags.0=x", "tags.1=y", "page.size=20", "pages.0.size=1", "pages.0.after=z",
            ])
    }

    @Test func dictionariesAreInTheOrderOfTheirNames() throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<20).map { ("k\($0 + 10)", $0) })
        let names = try HTTPQuery(encoding: ["d": values]).map(\.name)
        #expect(names == (10..<30).map { "d[k\($0)]" })
    }

    @Test func everyScalarIsAText() throws {
        struct Values: Encodable {
            let flag = true
            let float: Float = 1.5
            let double = 0.1
            let small: Int8 = -8
            let large = UInt64.max
            let url = URL(string: "http://h/a?b")
            let decimal = Decimal(string: "1.10")
            let data = Data([0xFB, 0xFF])
            let none: String? = nil
        }
        let query = try HTTPQuery(encoding: Values())
        let expected: HTTPQuery = [
            "flag": "true", "float": "1.5", "double": "0.1", "small": "-8", "large": "18446744073709551615",
            "url": "http://h/a?b", "decimal": "1.1", "data": "+/8=",
        ]
        #expect(query == expected)
        #expect(try QueryEncoder(bools: .digits).encode(Values())["flag"] == "1")
        #expect(try QueryEncoder(bytes: .custom { "\($0.count)" }).encode(Values())["data"] == "2")
    }

    @Test func encodesIntegersOf128Bits() throws {
        struct Values: Encodable {
            let low = Int128.min
            let high: UInt128? = .max
            let list: [Int128] = [1, -2]
            let others: [UInt128] = [3]
        }
        let expected: HTTPQuery = [
            "low": "-170141183460469231731687303715884105728", "high": "340282366920938463463374607431768211455",
            "list": "1", "list": "-2", "others": "3",
        ]
        #expect(try HTTPQuery(encoding: Values()) == expected)
    }

    @Test(arguments: [
        ("deferredToDate", CoderRegistry.DateCoding.deferredToDate, "1.5"),
        ("seconds", .secondsSince1970, "978307201.5"),
        ("milliseconds", .millisecondsSince1970, "978307201500"), ("iso8601", .iso8601, "2001-01-01T00:00:01Z"),
        ("custom", .custom(encode: { "\($0.timeIntervalSinceReferenceDate * 2)" }, decode: { _ in Date() }), "3.0"),
    ])
    func datesAreWrittenAsAskedFor(name: String, dates: CoderRegistry.DateCoding, expected: String) throws {
        let value = ["date": Date(timeIntervalSinceReferenceDate: 1.5)]
        #expect(try QueryEncoder(dates: dates).encode(value)["date"] == expected)
    }

    @Test(arguments: [
        "userName", "userID", "myURLPath", "a", "URL", "already_snake", "x2Y", "_private", "aB_C", "URLPath",
        "is_Snake", "aB_c", "ÄÖ",
    ])
    func namesAreConvertedAsJSONConvertsThem(name: String) throws {
        struct Named: Encodable {
            let name: NameKey
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: NameKey.self)
                try container.encode(1, forKey: name)
            }
        }
        let value = Named(name: NameKey(stringValue: name))
        let json = try JSONEncoder(keys: .snakeCase, dates: .deferredToDate).encode(value)
        let expected = try JSONDecoder().decode([String: Int].self, from: json).keys.first
        #expect(try QueryEncoder(keys: .snakeCase).encode(value).first?.name == expected)
    }

    @Test func aDictionarysKeysAreLeftAloneAsJSONLeavesThem() throws {
        struct Search: Encodable {
            let byUser = ["userA": 1, "userB": 2]
        }
        let json = try JSONEncoder(keys: .snakeCase, dates: .deferredToDate).encode(Search())
        #expect(try JSONDecoder().decode([String: [String: Int]].self, from: json)["by_user"]?["userA"] == 1)
        let encoder = QueryEncoder(keys: .snakeCase)
        #expect(try encoder.encode(Search()) == ["by_user[userA]": "1", "by_user[userB]": "2"])
        #expect(try encoder.encode(["userA": 1]) == ["userA": "1"])
    }

    @Test func containersOfOnesOwnAreFollowed() throws {
        struct Manual: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: NameKey.self)
                var nested = container.nestedContainer(keyedBy: NameKey.self, forKey: NameKey(stringValue: "n"))
                try nested.encode(1, forKey: NameKey(stringValue: "a"))
                var list = container.nestedUnkeyedContainer(forKey: NameKey(stringValue: "l"))
                try list.encodeNil()
                try list.encode("second")
                var inner = list.nestedUnkeyedContainer()
                try inner.encode(true)
                try ["s": 1].encode(to: container.superEncoder(forKey: NameKey(stringValue: "p")))
                try container.encodeNil(forKey: NameKey(stringValue: "nil"))
            }
        }
        let query = try QueryEncoder(arrays: .indices).encode(Manual())
        #expect(query == ["n[a]": "1", "l[1]": "second", "l[2][0]": "true", "p[s]": "1"])
    }

    @Test func aValueWithoutANameCannotBeEncoded() {
        #expect(throws: EncodingError.self) { try HTTPQuery(encoding: 5) }
        #expect(throws: EncodingError.self) { try HTTPQuery(encoding: ["a", "b"]) }
    }

    @Test func formsAreSerialisedAsTheStandardSays() throws {
        let fields: HTTPQuery = ["a b": "c+d&e=f", "*-._": "~", "ü": "🎈\r\n", "alone": nil]
        #expect(fields.formEncoded == "a+b=c%2Bd%26e%3Df&*-._=%7E&%C3%BC=%F0%9F%8E%88%0D%0A&alone=")
        let encoded = try QueryEncoder(arrays: .brackets).encode(["t": ["1", "2"]]).formEncoded
        #expect(encoded == "t%5B%5D=1&t%5B%5D=2")
    }
}
