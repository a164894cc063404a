import Testing

@testable import StreamsHTTP

/// The values that decide about limits, with times of the test.
@Suite struct CurlLimitTests {
    private let start = MonotonicTime.now

    private func second(_ number: Int) -> MonotonicTime {
        start + .seconds(number)
    }

    @Test func judgesTimeThatAllSocketsWereReadIn() {
        var progress = PollProgress()
        progress.record(start: second(1), events: 5, capacity: 128, socketCount: 300)
        #expect(progress.time == second(1))
        // Three polls of 128 events report each of 300 sockets.
        for number in 2...3 {
            progress.record(start: second(number), events: 128, capacity: 128, socketCount: 300)
            #expect(progress.time == second(1))
        }
        progress.record(start: second(4), events: 128, capacity: 128, socketCount: 300)
        #expect(progress.time == second(2))
        progress.record(start: second(5), events: 0, capacity: 128, socketCount: 300)
        #expect(progress.time == second(5))
    }

    @Test func measuresOnePeriodAfterAnother() {
        var check = RateCheck(RequestOptions.Timeouts.MinimumRate(bytesPerSecond: 10, over: .seconds(2)))
        let begins = check.update(.receiving, now: start) { 100 }
        #expect(begins && check.deadline == start + .seconds(2))
        check.judge(now: start + .seconds(2)) { 120 }
        #expect(check.deadline == start + .seconds(4))
        check.judge(now: start + .seconds(4)) { 139 }
        #expect(check.deadline == start + .seconds(4))
    }

    @Test func measuresAnewAfterAPause() {
        var check = RateCheck(RequestOptions.Timeouts.MinimumRate(bytesPerSecond: 10, over: .seconds(2)))
        _ = check.update(.sending, now: start) { 0 }
        let pauses = check.update(nil, now: start + .seconds(1)) { 0 }
        #expect(!pauses && check.deadline == nil)
        let resumes = check.update(.sending, now: start + .seconds(9)) { 0 }
        #expect(resumes && check.deadline == start + .seconds(11))
        let continues = check.update(.receiving, now: start + .seconds(10)) { 0 }
        #expect(continues && check.deadline == start + .seconds(12))
        check.restart(now: start + .seconds(20)) { 0 }
        #expect(check.deadline == start + .seconds(22))
        // Far too late to be the peer's fault.
        check.judge(now: start + .seconds(30)) { 0 }
        #expect(check.deadline == start + .seconds(32))
    }

    @Test(arguments: [
        ("http://h/a", "http://h:80/b", true), ("http://h/a?x=//y", "http://h", true),
        ("http://h?b", "http://h#c", true),
        ("http://h/", "https://h/", false), ("http://h/", "http://h:81/", false), ("http://h/", "http://i/", false),
    ])
    func looksUpOneNameOfOneOrigin(first: String, second: String, isSame: Bool) throws {
        let routes = try [first, second].map {
            let request = TransportRequest(method: .get, url: try #require(URL(string: $0)))
            return Route(request)
        }
        #expect((routes[0] == routes[1]) == isSame)
    }

    @Test(arguments: [
        ("http://127.0.0.1:80/", true), ("http://[::1]/", true), ("http://127.0.0.1.example/", false),
        ("http://h1/", false),
    ])
    func recognisesAddresses(url: String, isAddress: Bool) throws {
        let request = TransportRequest(
            method: .get, url: try #require(URL(string: url)),
            connection: RequestOptions.Connection.with { $0.proxy = .none })
        #expect(NameLookups.isUnnecessary(for: request, Route(request)) == isAddress)
    }

    @Test func leavesAReserve() {
        let limit = DescriptorLimit(reserve: 80)
        #expect(limit.maxLookups == 20)
        #expect(limit.admits(3, connectionCount: 1000))
        #expect(limit.admits(.max, connectionCount: 9) && !limit.admits(.max, connectionCount: 10))
        #expect(DescriptorLimit(reserve: -1).maxLookups == 1)
        #expect(DescriptorLimit(reserve: .max).maxLookups == 32)
    }
}
