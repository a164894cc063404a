import StreamsHTTP
import Testing

@Suite struct UnwrappingDecoderTests {
    private struct Echo: Decodable, Equatable {
        let value: String
    }

    private func data(_ text: String) -> Data { Data(text.utf8) }

    @Test func theContentOfAnEnvelopeIsDecoded() throws {
        let body = data(#"{"message": "fine", "data": {"value": "test"}}"#)
        #expect(try JSONDecoder().unwrapping("data").decode(Echo.self, from: body) == Echo(value: "test"))
    }

    @Test func envelopesWithinEnvelopesAreOpened() throws {
        let body = data(#"{"a": {"b": {"c": [{"value": "1"}]}}}"#)
        #expect(try JSONDecoder().unwrapping("a", "b", "c").decode([Echo].self, from: body) == [Echo(value: "1")])
    }

    @Test func aValueThatUnwrapsItselfIsNotInTheWay() throws {
        struct Nested: Decodable {
            let inner: Echo
            enum CodingKeys: CodingKey { case inner }
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                let text = try container.decode(String.self, forKey: .inner)
                inner = try JSONDecoder().unwrapping("data").decode(Echo.self, from: Data(text.utf8))
            }
        }
        let body = data(#"{"outer": {"inner": "{\"data\": {\"value\": \"x\"}}"}}"#)
        #expect(try JSONDecoder().unwrapping("outer").decode(Nested.self, from: body).inner == Echo(value: "x"))
    }

    @Test func keysAreThoseThatTheDecoderMakes() throws {
        struct Person: Decodable { let firstName: String }
        let body = data(#"{"user_data": {"first_name": "Ada"}}"#)
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(try decoder.unwrapping("userData").decode(Person.self, from: body).firstName == "Ada")
    }

    @Test(arguments: [#"{"message": "no"}"#, "[]", #"{"data": {}}"#])
    func aMissingEnvelopeIsADecodingError(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().unwrapping("data").decode(Echo.self, from: data(text))
        }
    }
}
