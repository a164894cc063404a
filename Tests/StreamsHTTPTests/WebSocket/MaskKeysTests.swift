import Testing

@testable import StreamsHTTP

@Suite struct MaskKeysTests {
    @Test func drawsDifferentKeys() {
        var keys = MaskKeys()
        var others = MaskKeys()
        let drawn = Set((0..<100).flatMap { _ in [keys.next(), others.next()] })
        // Two of them may be equal by chance.
        #expect(drawn.count >= 198)
    }
}
