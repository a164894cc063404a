import Exchanging
import ExchangingByStreams
import Foundation
import Measuring

/// Documents of many names, all of which are stored in the folder of a cache.
struct StoredDocuments {
    /// Nearby requests are for names that are far apart.
    private static let step = 7919

    let order: Order

    init(_ order: Order) {
        self.order = order
    }

    /// Stores the documents. What comes faster than the disk takes it is not stored, and requested again.
    func fill() async throws {
        let exchanger = try StreamsExchanger(cache: order.cache)
        for _ in 1...20 {
            let misses = exchanger.missCount
            for number in 0..<order.entries { _ = try await exchanger.document(at: url(number)) }
            if exchanger.missCount == misses { return }
        }
        throw ExchangeFailure("not all documents are stored")
    }

    /// Opens the cache in this process, and gets some of the documents.
    func read() async throws -> Outcome {
        let meter = Meter()
        let exchanger = try StreamsExchanger(cache: order.cache)
        var sum = try await exchanger.document(at: url(0))
        let first = meter.seconds
        for number in 1..<order.requests { sum += try await exchanger.document(at: url(number * Self.step)) }
        guard exchanger.missCount == 0 else { throw ExchangeFailure("a document was not stored") }
        var outcome = meter.outcome(units: order.requests, checksum: sum)
        outcome.firstMilliseconds = first * 1000
        return outcome
    }

    private func url(_ number: Int) -> String { "\(order.url)/\(number % order.entries)" }
}
