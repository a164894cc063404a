import Streams
import Testing

/// Returns the signals that a publisher delivers to a subscriber with unlimited demand.
private func signals<P: Publisher>(of publisher: P) -> [String] {
    let lines = Locked<[String]>([])
    let cancellable = publisher.sink { completion in
        lines.withLock { $0.append("\(completion)") }
    } receiveValue: { value in
        let line = "\(value)"
        lines.withLock { $0.append(line) }
    }
    cancellable.cancel()
    return lines.withLock { $0 }
}

/// Checks that an eager operator delivers the same signals as the general one.
private func expectSame<P: Publisher, Eager: Publisher, General: Publisher>(
    _ publisher: P,
    _ eager: (P) -> Eager,
    _ general: (AnyPublisher<P.Output, P.Failure>) -> General,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let expected = signals(of: general(publisher.eraseToAnyPublisher()))
    #expect(signals(of: eager(publisher)) == expected, sourceLocation: sourceLocation)
}

private func throwingAtTwo(_ value: Int) throws -> Int {
    if value == 2 { throw TestError.second }
    return value
}

@Suite("Eager operators of publishers whose values are known")
struct SpecialisedOperatorsTests {
    @Test(arguments: [[], [2], [3, 1, 2], [1, 1, 2, 2, 1]])
    func sequenceTransforms(_ elements: [Int]) {
        let publisher = elements.publisher
        expectSame(publisher, { $0.map { $0 * 2 } }, { $0.map { $0 * 2 } })
        expectSame(publisher, { $0.compactMap { $0 == 1 ? nil : $0 } }, { $0.compactMap { $0 == 1 ? nil : $0 } })
        expectSame(publisher, { $0.scan(1) { $0 + $1 } }, { $0.scan(1) { $0 + $1 } })
        expectSame(publisher, { $0.reduce(1) { $0 + $1 } }, { $0.reduce(1) { $0 + $1 } })
        expectSame(
            publisher, { $0.tryReduce(1) { try throwingAtTwo($0 + $1) } },
            { $0.tryReduce(1) { try throwingAtTwo($0 + $1) } })
        expectSame(publisher, { $0.collect() }, { $0.collect() })
        expectSame(publisher, { $0.setFailureType(to: TestError.self) }, { $0.setFailureType(to: TestError.self) })
        expectSame(publisher, { $0.removeDuplicates() }, { $0.removeDuplicates() })
        expectSame(publisher, { $0.append(7, 8) }, { $0.append(7, 8) })
        expectSame(publisher, { $0.prepend(7, 8) }, { $0.prepend(7, 8) })
        expectSame(publisher, { $0.append([7].publisher) }, { $0.append([7].publisher) })
        expectSame(publisher, { $0.prepend([7].publisher) }, { $0.prepend([7].publisher) })
    }

    @Test(arguments: [[], [2], [3, 1, 2], [1, 1, 2, 2, 1]])
    func sequenceSelections(_ elements: [Int]) {
        let publisher = elements.publisher
        expectSame(publisher, { $0.filter { $0 > 1 } }, { $0.filter { $0 > 1 } })
        expectSame(publisher, { $0.dropFirst() }, { $0.dropFirst() })
        expectSame(publisher, { $0.drop { $0 != 2 } }, { $0.drop { $0 != 2 } })
        expectSame(publisher, { $0.prefix(2) }, { $0.prefix(2) })
        expectSame(publisher, { $0.prefix { $0 != 2 } }, { $0.prefix { $0 != 2 } })
        expectSame(publisher, { $0.first() }, { $0.first() })
        expectSame(publisher, { $0.first { $0 < 2 } }, { $0.first { $0 < 2 } })
        expectSame(publisher, { $0.last() }, { $0.last() })
        expectSame(publisher, { $0.last { $0 > 1 } }, { $0.last { $0 > 1 } })
        expectSame(publisher, { $0.output(at: 1) }, { $0.output(at: 1) })
        expectSame(publisher, { $0.min() }, { $0.min() })
        expectSame(publisher, { $0.max() }, { $0.max() })
        expectSame(publisher, { $0.min(by: >) }, { $0.min(by: >) })
        expectSame(publisher, { $0.max(by: >) }, { $0.max(by: >) })
        expectSame(publisher, { $0.count() }, { $0.count() })
        expectSame(publisher, { $0.ignoreOutput() }, { $0.ignoreOutput() })
        expectSame(publisher, { $0.contains(2) }, { $0.contains(2) })
        expectSame(publisher, { $0.contains { $0 > 2 } }, { $0.contains { $0 > 2 } })
        expectSame(
            publisher, { $0.tryContains { try throwingAtTwo($0) > 2 } },
            { $0.tryContains { try throwingAtTwo($0) > 2 } })
        expectSame(publisher, { $0.allSatisfy { $0 > 1 } }, { $0.allSatisfy { $0 > 1 } })
        expectSame(
            publisher, { $0.tryAllSatisfy { try throwingAtTwo($0) > 0 } },
            { $0.tryAllSatisfy { try throwingAtTwo($0) > 0 } })
    }

    @Test func sequencesWithNil() {
        // As in Combine the type stays optional.
        #expect([1, nil, 3].publisher.replaceNil(with: 9) == [Int?](arrayLiteral: 1, 9, 3).publisher)
        expectSame([nil, nil, 3].publisher, { $0.removeDuplicates() }, { $0.removeDuplicates() })
    }

    @Test func rangesOfSequences() {
        #expect([1, 2, 3, 4].publisher.output(in: 1..<3) == [2, 3].publisher)
        #expect([1, 2].publisher.output(at: 5) == Optional<Int>.Publisher(nil))
        #expect([1, 2].publisher.count() == Just(2))
    }

    @Test(arguments: [1, 2])
    func justTransforms(_ value: Int) {
        let publisher = Just(value)
        expectSame(publisher, { $0.map { $0 + 1 } }, { $0.map { $0 + 1 } })
        expectSame(publisher, { $0.tryMap(throwingAtTwo) }, { $0.tryMap { try throwingAtTwo($0) } })
        expectSame(publisher, { $0.compactMap { $0 == 1 ? nil : $0 } }, { $0.compactMap { $0 == 1 ? nil : $0 } })
        expectSame(publisher, { $0.scan(1) { $0 + $1 } }, { $0.scan(1) { $0 + $1 } })
        expectSame(
            publisher, { $0.tryScan(0) { try throwingAtTwo($0 + $1) } },
            { $0.tryScan(0) { try throwingAtTwo($0 + $1) } })
        expectSame(publisher, { $0.reduce(1) { $0 + $1 } }, { $0.reduce(1) { $0 + $1 } })
        expectSame(
            publisher, { $0.tryReduce(0) { try throwingAtTwo($0 + $1) } },
            { $0.tryReduce(0) { try throwingAtTwo($0 + $1) } })
        expectSame(publisher, { $0.collect() }, { $0.collect() })
        expectSame(publisher, { $0.count() }, { $0.count() })
        expectSame(publisher, { $0.allSatisfy { $0 > 1 } }, { $0.allSatisfy { $0 > 1 } })
        expectSame(
            publisher, { $0.tryAllSatisfy { try throwingAtTwo($0) > 1 } },
            { $0.tryAllSatisfy { try throwingAtTwo($0) > 1 } })
        expectSame(publisher, { $0.contains(2) }, { $0.contains(2) })
        expectSame(publisher, { $0.contains { $0 > 1 } }, { $0.contains { $0 > 1 } })
        expectSame(
            publisher, { $0.tryContains { try throwingAtTwo($0) > 1 } },
            { $0.tryContains { try throwingAtTwo($0) > 1 } })
        expectSame(publisher, { $0.setFailureType(to: TestError.self) }, { $0.setFailureType(to: TestError.self) })
        expectSame(publisher, { $0.append(7, 8) }, { $0.append(7, 8) })
        expectSame(publisher, { $0.prepend([7]) }, { $0.prepend([7]) })
        expectSame(publisher, { $0.replaceEmpty(with: 9) }, { $0.replaceEmpty(with: 9) })
        expectSame(publisher, { $0.replaceError(with: 9) }, { $0.replaceError(with: 9) })
    }

    @Test(arguments: [1, 2])
    func justSelections(_ value: Int) {
        let publisher = Just(value)
        expectSame(publisher, { $0.filter { $0 > 1 } }, { $0.filter { $0 > 1 } })
        expectSame(publisher, { $0.first() }, { $0.first() })
        expectSame(publisher, { $0.last() }, { $0.last() })
        expectSame(publisher, { $0.first { $0 > 1 } }, { $0.first { $0 > 1 } })
        expectSame(publisher, { $0.last { $0 > 1 } }, { $0.last { $0 > 1 } })
        expectSame(publisher, { $0.drop { $0 > 1 } }, { $0.drop { $0 > 1 } })
        expectSame(publisher, { $0.prefix { $0 > 1 } }, { $0.prefix { $0 > 1 } })
        expectSame(publisher, { $0.min() }, { $0.min() })
        expectSame(publisher, { $0.max { $0 < $1 } }, { $0.max { $0 < $1 } })
        expectSame(publisher, { $0.removeDuplicates() }, { $0.removeDuplicates() })
        expectSame(publisher, { $0.ignoreOutput() }, { $0.ignoreOutput() })
        for count in 0...2 {
            expectSame(publisher, { $0.dropFirst(count) }, { $0.dropFirst(count) })
            expectSame(publisher, { $0.prefix(count) }, { $0.prefix(count) })
            expectSame(publisher, { $0.output(at: count) }, { $0.output(at: count) })
            expectSame(publisher, { $0.output(in: count...) }, { $0.output(in: count...) })
        }
    }

    @Test(arguments: [nil, 1, 2])
    func optionals(_ value: Int?) {
        let publisher = Optional<Int>.Publisher(value)
        expectSame(publisher, { $0.map { $0 + 1 } }, { $0.map { $0 + 1 } })
        expectSame(publisher, { $0.compactMap { $0 == 1 ? nil : $0 } }, { $0.compactMap { $0 == 1 ? nil : $0 } })
        expectSame(publisher, { $0.filter { $0 > 1 } }, { $0.filter { $0 > 1 } })
        expectSame(publisher, { $0.scan(1) { $0 + $1 } }, { $0.scan(1) { $0 + $1 } })
        expectSame(publisher, { $0.collect() }, { $0.collect() })
        expectSame(publisher, { $0.replaceEmpty(with: 9) }, { $0.replaceEmpty(with: 9) })
        expectSame(publisher, { $0.first { $0 > 1 } }, { $0.first { $0 > 1 } })
        expectSame(publisher, { $0.last { $0 > 1 } }, { $0.last { $0 > 1 } })
        expectSame(publisher, { $0.drop { $0 > 1 } }, { $0.drop { $0 > 1 } })
        expectSame(publisher, { $0.prefix { $0 > 1 } }, { $0.prefix { $0 > 1 } })
        expectSame(publisher, { $0.removeDuplicates() }, { $0.removeDuplicates() })
        expectSame(publisher, { $0.ignoreOutput() }, { $0.ignoreOutput() })
        expectSame(publisher, { $0.max() }, { $0.max() })
        for count in 0...2 {
            expectSame(publisher, { $0.dropFirst(count) }, { $0.dropFirst(count) })
            expectSame(publisher, { $0.prefix(count) }, { $0.prefix(count) })
            expectSame(publisher, { $0.output(at: count) }, { $0.output(at: count) })
            expectSame(publisher, { $0.output(in: 0..<count) }, { $0.output(in: 0..<count) })
            expectSame(publisher, { $0.output(in: count...9) }, { $0.output(in: count...9) })
        }
        expectSame(publisher, { $0.output(in: 0..<(.max - 2)) }, { $0.output(in: 0..<(.max - 2)) })
    }

    @Test("An optional's value is in every range that begins at zero, also in an endless one", arguments: [nil, 1])
    func endlessRangesOfOptionals(_ value: Int?) {
        let publisher = Optional<Int>.Publisher(value)
        for start in 0...1 {
            expectSame(publisher, { $0.output(in: start...) }, { $0.output(in: start...) })
            expectSame(publisher, { $0.output(in: start..<(.max - 1)) }, { $0.output(in: start..<(.max - 1)) })
        }
        expectSame(publisher, { $0.output(in: ..<0) }, { $0.output(in: ..<0) })
    }

    @Test("As in Combine, an empty optional has no result where the general operators have one")
    func emptyOptionalHasNoResult() {
        let nothing = Optional<Int>.Publisher(nil)
        #expect(nothing.count() == Optional<Int>.Publisher(nil))
        #expect(nothing.contains(1) == Optional<Bool>.Publisher(nil))
        #expect(nothing.allSatisfy { $0 > 0 } == Optional<Bool>.Publisher(nil))
        #expect(nothing.reduce(1) { $0 + $1 } == Optional<Int>.Publisher(nil))
    }

    @Test(arguments: [Result<Int, TestError>.success(1), .success(2), .failure(.first)])
    func results(_ result: Result<Int, TestError>) {
        let publisher = result.publisher
        expectSame(publisher, { $0.map { $0 + 1 } }, { $0.map { $0 + 1 } })
        expectSame(publisher, { $0.tryMap(throwingAtTwo) }, { $0.tryMap { try throwingAtTwo($0) } })
        expectSame(publisher, { $0.mapError { _ in TestError.first } }, { $0.mapError { _ in TestError.first } })
        expectSame(publisher, { $0.replaceError(with: 9) }, { $0.replaceError(with: 9) })
        expectSame(publisher, { $0.replaceEmpty(with: 9) }, { $0.replaceEmpty(with: 9) })
        expectSame(publisher, { $0.collect() }, { $0.collect() })
        expectSame(publisher, { $0.count() }, { $0.count() })
        expectSame(publisher, { $0.contains(2) }, { $0.contains(2) })
        expectSame(
            publisher, { $0.tryContains { try throwingAtTwo($0) > 1 } },
            { $0.tryContains { try throwingAtTwo($0) > 1 } })
        expectSame(publisher, { $0.allSatisfy { $0 > 1 } }, { $0.allSatisfy { $0 > 1 } })
        expectSame(
            publisher, { $0.tryAllSatisfy { try throwingAtTwo($0) > 1 } },
            { $0.tryAllSatisfy { try throwingAtTwo($0) > 1 } })
        expectSame(publisher, { $0.scan(1) { $0 + $1 } }, { $0.scan(1) { $0 + $1 } })
        expectSame(
            publisher, { $0.tryScan(0) { try throwingAtTwo($0 + $1) } },
            { $0.tryScan(0) { try throwingAtTwo($0 + $1) } })
        expectSame(publisher, { $0.reduce(1) { $0 + $1 } }, { $0.reduce(1) { $0 + $1 } })
        expectSame(
            publisher, { $0.tryReduce(0) { try throwingAtTwo($0 + $1) } },
            { $0.tryReduce(0) { try throwingAtTwo($0 + $1) } })
        expectSame(publisher, { $0.first() }, { $0.first() })
        expectSame(publisher, { $0.min() }, { $0.min() })
        expectSame(publisher, { $0.removeDuplicates() }, { $0.removeDuplicates() })
    }

    @Test("They run once, before anything subscribes")
    func runOnceBeforeSubscription() {
        var calls = 0
        let publisher = [1, 2].publisher.map { value in
            calls += 1
            return value
        }
        #expect(calls == 2)
        #expect(signals(of: publisher) == signals(of: publisher))
        #expect(calls == 2)
    }
}
