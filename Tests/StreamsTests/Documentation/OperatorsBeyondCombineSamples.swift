import Streams
import Testing

/// The sample of the article "Operators beyond Combine".
@Suite struct OperatorsBeyondCombineSamples {
    struct InvalidNumber: Error, Equatable {
        let text: String
    }

    @Test func keepsTheTypeOfAFailure() {
        let texts = ["1", "2", "three", "4"]
        let numbers = texts.publisher
            .setFailureType(to: InvalidNumber.self)
            .tryMap(throwing: InvalidNumber.self) { (text) throws(InvalidNumber) in
                guard let number = Int(text) else { throw InvalidNumber(text: text) }
                return number
            }

        let received = LockedValue<[Int]>([])
        let failure = LockedValue<InvalidNumber?>(nil)
        let subscription = numbers.sink { completion in
            if case .failure(let error) = completion { failure.update { $0 = error } }
        } receiveValue: { number in
            received.update { $0.append(number) }
        }
        #expect(received.value == [1, 2])
        #expect(failure.value == InvalidNumber(text: "three"))
        subscription.cancel()
    }

    @Test func articleHasTheSamplesThatRun() throws {
        let article = try ArticleSamples(of: "Sources/Streams/Streams.docc/OperatorsBeyondCombine.md")
        #expect(article.samples.count == 1)
        try article.expectAll()
    }
}
