import Testing

@testable import StreamsHTTP

@Suite struct OriginTableTests {
    @Test func removesIdleOrigins() {
        var table = OriginTable<Int>()
        for number in 0..<10_000 { table.update("http://h\(number):80", initial: 0, removing: { $0 == 0 }) { _ in } }
        #expect(table.values.count <= 256 && table.values["http://h9999:80"] == 0)
    }

    @Test func keepsBusyOnes() {
        var table = OriginTable<Int>()
        for number in 0..<10_000 {
            table.update("http://h\(number):80", initial: 0, removing: { $0 == 0 }) { $0 = number % 10 }
        }
        #expect(table.values.count { $0.value > 0 } == 9000)
        table.update("http://h7:80", initial: 0, removing: { _ in true }) { $0 += 1 }
        #expect(table.values["http://h7:80"] == 8)
    }

    @Test func removesIdleOriginsAfterAMinute() {
        var table = OriginTable<Int>()
        var now = Duration.seconds(100)
        func add(_ number: Int, isIdle: Bool) {
            table.update("http://h\(number):80", initial: 0, now: now, removing: { _ in isIdle }) { _ in }
        }
        for number in 0..<10_000 { add(number, isIdle: false) }
        #expect(table.values.count == 10_000)
        now += .seconds(59)
        add(1, isIdle: true)
        #expect(table.values.count == 10_000)
        now += .seconds(1)
        // An origin that is known, so that the table does not grow.
        add(1, isIdle: true)
        #expect(table.values.count == 1)
    }

    /// Otherwise each new origin would look at all others.
    @Test func looksAtAllOnlyWhenItHasDoubled() {
        var table = OriginTable<Int>()
        var looks = 0
        for number in 0..<10_000 {
            table.update("http://h\(number):80", initial: 1) { _ in
                looks += 1
                return false
            } _: { _ in
            }
        }
        #expect(looks < 20_000)
    }
}
