import Testing

@testable import StreamsHTTP
@testable import StreamsHTTPTesting

@Suite struct WaitingQueueTests {
    @Test func randomOperationsEqualThoseOfAnArray() {
        for seed in UInt64(0)..<200 {
            var random = SplitMix64(seed: seed)
            var (queue, model, next) = (WaitingQueue<Int>(), [Int](), 0)
            for _ in 0..<500 {
                switch Int.random(in: 0..<11, using: &random) {
                case 0..<6:
                    next += 1
                    queue.append(next, number: next)
                    model.append(next)
                case 6, 7:
                    #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
                case 8:
                    let divisor = Int.random(in: 1...20, using: &random)
                    let place = model.firstIndex { $0.isMultiple(of: divisor) }
                    #expect(queue.popFirst { $0.isMultiple(of: divisor) } == place.map { model.remove(at: $0) })
                case 9:
                    let number = Int.random(in: 0...next + 1, using: &random)
                    let place = model.firstIndex(of: number)
                    #expect(queue.remove(number) == place.map { model.remove(at: $0) })
                default:
                    guard Int.random(in: 0..<20, using: &random) == 0 else { break }
                    #expect(queue.removeAll { $0.isMultiple(of: 3) } == model.filter { $0.isMultiple(of: 3) })
                    model.removeAll { $0.isMultiple(of: 3) }
                }
                #expect(queue.first == model.first)
                #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
            }
            #expect(Array(queue.elements) == model)
        }
    }

    /// An element that waits for ever must not keep those behind it that have ceased to wait.
    @Test func removesElementsThatAreOverBehindOneThatWaits() {
        var (queue, questions) = (WaitingQueue<Int>(), 0)
        for number in 0..<100_000 {
            queue.append(number) {
                questions += 1
                return $0 != 0
            }
        }
        #expect(queue.first == 0)
        #expect(queue.count <= 65)
        #expect(questions <= 200_000)
    }

    @Test(arguments: [true, false]) func removesEachOfManyByItsNumber(isFromTheEnd: Bool) {
        var queue = WaitingQueue<Int>()
        for number in 1...100_000 { queue.append(-number, number: number) }
        for number in isFromTheEnd ? Array((2...100_000).reversed()) : Array(2...100_000) {
            #expect(queue.remove(number) == -number)
        }
        #expect(queue.count == 1 && queue.remove(2) == nil && queue.first == -1)
        queue.append(0, number: 100_001)
        #expect(queue.popFirst() == -1 && queue.remove(100_001) == 0 && queue.isEmpty)
    }

    /// The search for an element behind one that waits for ever must not pass the gaps between them each time.
    @Test func takesEachOfManyBehindOneThatWaits() {
        var (queue, questions) = (WaitingQueue<Int>(), 0)
        for number in 0..<100_000 { queue.append(number) }
        for number in 1..<100_000 {
            let taken = queue.popFirst {
                questions += 1
                return $0 != 0
            }
            #expect(taken == number)
        }
        #expect(questions == 2 * 99_999)
    }

    @Test func takesEachOfManyWithOneQuestion() {
        var (queue, questions) = (WaitingQueue<Int>(), 0)
        for number in 0..<100_000 { queue.append(number) }
        for number in 0..<100_000 {
            let taken = queue.popFirst { _ in
                questions += 1
                return true
            }
            #expect(taken == number)
        }
        #expect(queue.isEmpty && queue.first == nil)
        #expect(questions == 100_000)
    }
}
