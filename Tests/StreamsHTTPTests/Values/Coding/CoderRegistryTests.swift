import Foundation
import StreamsHTTP
import Testing

@Suite struct CoderRegistryTests {
    /// A decoder that can be told from others.
    private struct Marked: DataDecoder {
        let mark: String

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            throw Failure(mark: mark)
        }

        struct Failure: Error {
            let mark: String
        }
    }

    private struct Event: Codable, Equatable {
        let startDate: Date
        let userName: String
    }

    private func mark(_ coders: CoderRegistry, _ contentType: String?) -> String? {
        do {
            _ = try coders.decoder(forContentType: contentType).decode(Int.self, from: Data())
            return nil
        } catch {
            return (error as? Marked.Failure)?.mark
        }
    }

    @Test func decodersAreFoundByMediaType() {
        var coders = CoderRegistry(decoder: Marked(mark: "default"))
        coders.register(Marked(mark: "xml"), for: "application/xml")
        coders.register(Marked(mark: "old"), for: "Application/Problem+XML")
        coders.register(Marked(mark: "problem"), for: "application/problem+xml")
        #expect(mark(coders, "application/xml; charset=utf-8") == "xml")
        #expect(mark(coders, "APPLICATION/rss+xml") == "xml")
        #expect(mark(coders, " application/problem+xml ;q=1") == "problem")
        #expect(mark(coders, "application/json") == "default")
        coders.register(Marked(mark: "parameters"), for: "Application/JSON; charset=utf-8")
        #expect(mark(coders, "application/json") == "parameters")
        #expect(mark(coders, nil) == "default")
    }

    @Test func datesAndKeysAreGivenOnce() throws {
        let coders = CoderRegistry.json(keys: .snakeCase, dates: .iso8601)
        let event = Event(startDate: Date(timeIntervalSince1970: 0), userName: "ada")
        let json = String(decoding: try coders.encoder.encode(event), as: UTF8.self)
        #expect(json.contains(#""start_date":"1970-01-01T00:00:00Z""#) && json.contains(#""user_name":"ada""#))
        #expect(try coders.decoder(forContentType: nil).decode(Event.self, from: Data(json.utf8)) == event)
        #expect(try coders.query.encode(event).description == "start_date=1970-01-01T00%3A00%3A00Z&user_name=ada")
        #expect(try coders.form.encode(event).description == "start_date=1970-01-01T00%3A00%3A00Z&user_name=ada")
    }

    @Test(arguments: ["1970-01-01T00:00:00.500Z", "1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00"])
    func internetTimesAreReadInEveryForm(text: String) throws {
        let json = Data(#"{"startDate":"\#(text)","userName":""}"#.utf8)
        let event = try CoderRegistry.json(dates: .iso8601).decoder.decode(Event.self, from: json)
        #expect(event.startDate.timeIntervalSince1970 == (text.contains(".") ? 0.5 : 0))
    }

    @Test func aDateThatIsNoneIsACorruptValue() {
        let json = Data(#"{"startDate":"soon","userName":""}"#.utf8)
        let coders = CoderRegistry.json(dates: .iso8601)
        #expect(throws: DecodingError.self) { try coders.decoder.decode(Event.self, from: json) }
    }

    @Test(arguments: [CoderRegistry.DateCoding.secondsSince1970, .millisecondsSince1970, .deferredToDate])
    func datesComeBackAsTheyWere(dates: CoderRegistry.DateCoding) throws {
        let coders = CoderRegistry.json(dates: dates)
        let event = Event(startDate: Date(timeIntervalSince1970: 1234), userName: "")
        #expect(try coders.decoder.decode(Event.self, from: try coders.encoder.encode(event)) == event)
    }
}
