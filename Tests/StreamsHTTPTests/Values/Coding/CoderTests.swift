import StreamsHTTP
import Synchronization
import Testing

@Suite("Coders as operators")
struct CoderTests {
    private struct Item: Codable, Equatable, Sendable {
        let name: String
        let count: Int
    }

    /// Returns the values and the failure of a stream that ends during the call.
    private func outcome<P: Publisher>(
        of publisher: P
    ) -> (values: [P.Output], failure: (any Error)?) where P.Output: Sendable {
        let values = Mutex<[P.Output]>([])
        let failure = Mutex<(any Error)?>(nil)
        let finished = Mutex(false)
        let subscriber = AnySubscriber<P.Output, P.Failure>(
            receiveSubscription: { $0.request(.unlimited) },
            receiveValue: { value in
                values.withLock { $0.append(value) }
                return .none
            },
            receiveCompletion: { completion in
                finished.withLock { $0 = true }
                if case .failure(let error) = completion { failure.withLock { $0 = error } }
            })
        publisher.subscribe(subscriber)
        #expect(finished.withLock { $0 })
        return (values.withLock { $0 }, failure.withLock { $0 })
    }

    @Test func valuesSurviveJSON() {
        let items = [Item(name: "a", count: 1), Item(name: "b", count: 2)]
        let encoded = items.publisher.encode(encoder: JSONEncoder())
        let result = outcome(of: encoded.decode(type: Item.self, decoder: JSONDecoder()))
        #expect(result.values == items)
        #expect(result.failure == nil)
    }

    @Test func valuesSurvivePropertyLists() {
        let items = [Item(name: "a", count: 1)]
        let encoded = items.publisher.encode(encoder: PropertyListEncoder())
        let result = outcome(of: encoded.decode(type: Item.self, decoder: PropertyListDecoder()))
        #expect(result.values == items)
        #expect(result.failure == nil)
    }

    @Test func textThatIsNotJSONFailsTheStream() {
        let result = outcome(of: Just(Data("{".utf8)).decode(type: Item.self, decoder: JSONDecoder()))
        #expect(result.values.isEmpty)
        #expect(result.failure is DecodingError)
    }
}
