import Testing

@testable import Streams

@Suite struct LRUDictionaryTests {
    @Test func removesTheKeyThatWasUsedLeastRecently() {
        var dictionary = LRUDictionary<String, Int>()
        for (value, key) in ["a", "b", "c"].enumerated() { dictionary.insert(value, for: key) }
        #expect(dictionary.use("a") == 0)
        #expect(dictionary.use("d") == nil)
        #expect((0..<4).map { _ in dictionary.removeLeastRecentlyUsed() } == [1, 2, 0, nil])
        #expect(dictionary.count == 0)
    }

    @Test func agreesWithAListOfKeys() {
        var dictionary = LRUDictionary<Int, Int>()
        var keys: [Int] = []
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<40)
            switch Int.random(in: 0..<8) {
            case 0:
                dictionary.removeValue(forKey: key)
                keys.removeAll { $0 == key }
            case 1:
                #expect(dictionary.removeLeastRecentlyUsed() == keys.first.map { -$0 })
                keys = Array(keys.dropFirst())
            default:
                let isKnown = keys.contains(key)
                #expect(dictionary.use(key) == (isKnown ? -key : nil), "step \(step)")
                if !isKnown { dictionary.insert(-key, for: key) }
                keys = keys.filter { $0 != key } + [key]
            }
            #expect(dictionary.values.sorted() == keys.map(-).sorted())
        }
        #expect(keys.map { _ in dictionary.removeLeastRecentlyUsed() } == keys.map(-))
    }

    @Test func keysThatDoNotEqualThemselvesAreRemovedToo() {
        var dictionary = LRUDictionary<Double, Void>()
        dictionary.insert((), for: 1)
        for _ in 0..<1000 {
            dictionary.insert((), for: .nan)
            _ = dictionary.use(1)
            if dictionary.count > 10 { dictionary.removeLeastRecentlyUsed() }
        }
        #expect(dictionary.count == 10)
        #expect(dictionary.places.count < 40)
        #expect(dictionary.use(1) != nil)
    }

    @Test func releasesRemovedKeys() {
        final class Token: Hashable {
            static func == (left: Token, right: Token) -> Bool { left === right }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        var dictionary = LRUDictionary<Token, Void>()
        weak var first: Token?
        for index in 0..<3 {
            let token = Token()
            if index == 0 { first = token }
            dictionary.insert((), for: token)
        }
        #expect(first != nil)
        dictionary.removeLeastRecentlyUsed()
        #expect(first == nil)
    }
}
