import Testing

@testable import Streams

@Suite("The census")
struct CensusTests {
    @Test("The description is a table")
    func descriptionIsATable() {
        let orders = Census.Row(
            callSite: CallSite(label: "orders", fileID: "Shop/Orders.swift", line: 42), live: 1, started: 12,
            finished: 0,
            failed: 11, cancelled: 0, abandoned: 0, values: 384, outstandingDemand: .unlimited, oldest: .seconds(7215))
        let stock = Census.Row(
            callSite: CallSite(label: nil, fileID: "Shop/Stock.swift", line: 7), live: 0, started: 3, finished: 3,
            failed: 0, cancelled: 0, abandoned: 0, values: 9, outstandingDemand: .none, oldest: nil)
        let expected = """
            live  started  finished  failed  cancelled  abandoned  values     demand  oldest  site
               1       12         0      11          0          0     384  unlimited  7215 s  orders (Shop/Orders.swift:42)
               0        3         3       0          0          0       9          0       -  Shop/Stock.swift:7
            """
        #expect(Census(rows: [orders, stock]).description == expected)
        #expect(Census(rows: [orders, stock]).live == 1)
    }

    @Test("Labels beyond the limit share one row")
    func labelsBeyondTheLimitShareARow() {
        let registry = SiteRegistry(limit: 2)
        let first = registry.site(label: "a", fileID: "M/f.swift", line: 1)
        let plain = registry.site(label: nil, fileID: "M/f.swift", line: 2)
        let third = registry.site(label: "c", fileID: "M/f.swift", line: 1)
        let fourth = registry.site(label: "d", fileID: "M/f.swift", line: 1)
        #expect(registry.site(label: "a", fileID: "M/f.swift", line: 1) === first)
        #expect(registry.site(label: nil, fileID: "M/f.swift", line: 2) === plain)
        #expect(third === fourth)
        #expect(third.callSite.label == SiteRegistry.overflowLabel)
        #expect(registry.sites.count == 3)
    }

    @Test("Rows are sorted by file, line and label")
    func sortsRows() {
        let sites = [
            CallSite(label: "b", fileID: "M/a.swift", line: 2), CallSite(label: nil, fileID: "M/b.swift", line: 1),
            CallSite(label: "a", fileID: "M/a.swift", line: 2), CallSite(label: nil, fileID: "M/a.swift", line: 10),
        ]
        let lines = sites.sorted().map(\.description)
        #expect(lines == ["a (M/a.swift:2)", "b (M/a.swift:2)", "M/a.swift:10", "M/b.swift:1"])
    }

    @Test("Demand adds up and saturates")
    func demandSaturates() {
        let counters = SubscriptionCounters()
        counters.countRequest(.max(2))
        counters.countRequest(.max(3))
        counters.countValue()
        #expect(counters.outstandingDemand == .max(4))
        counters.countRequest(.max(.max))
        #expect(counters.outstandingDemand == .unlimited)
        counters.countRequest(.max(1))
        #expect(counters.outstandingDemand == .unlimited)
    }
}
