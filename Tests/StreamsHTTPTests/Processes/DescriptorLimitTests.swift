import Dispatch
import StreamsHTTP
import StreamsLoopback
import StreamsTesting
import Testing

#if os(Linux)
import Glibc

/// Bursts that exceed the process's limit of descriptors, in processes of their own.
@Suite(.serialized, .reservesDescriptors) struct DescriptorLimitTests {
    @Test func servesABurstAboveTheLimit() async {
        await #expect(processExitsWith: .success) {
            try Descriptors.limit(to: 1024)
            let server = try BacklogServer()
            let client = HTTPClient(connectTimeout: .seconds(60))
            let responses = Task {
                await withTaskGroup(of: String.self) { group in
                    for _ in 0..<1500 { group.addTask { await client.outcome(of: server.url) } }
                    return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                }
            }
            // A request that gets a connection fails for the server's silence.
            let impatient = RequestOptions.with {
                $0.timeouts.connect = .milliseconds(200)
                $0.timeouts.idle = .milliseconds(200)
            }
            var count = 1501
            while await client.outcome(of: server.url, options: impatient) != "connection.resource-exhausted" {
                count += 1
            }
            let highest = try Descriptors.lowestFree()
            #expect(highest > 400 && highest < 1024 - 64, "\(highest)")
            // Dispatch opens a descriptor for the first timer of each clock, and traps if there is none.
            _ = try await ProcessCensus.first()
            server.answer(count)
            #expect(await responses.value == ["ok": 1500])
            #expect(await client.outcome(of: server.url) == "ok")
        }
    }

    @Test func startsRequestsInTheirOrder() async {
        await #expect(processExitsWith: .success) {
            try Descriptors.limit(to: 64)
            let (lanes, rounds) = (80, 20)
            let server = try BacklogServer()
            server.answer(lanes * rounds)
            let client = HTTPClient(connectTimeout: .seconds(60))
            let finished = Watched([Int](repeating: 0, count: lanes))
            let fewest = Watched<Int?>(nil)
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<lanes {
                    group.addTask {
                        for _ in 0..<rounds {
                            #expect(await client.outcome(of: server.url) == "ok")
                            finished.update { $0[lane] += 1 }
                        }
                        fewest.update { $0 = $0 ?? finished.value.min() }
                    }
                }
            }
            // When one has made all its requests, none still waits for its first.
            #expect(fewest.value ?? 0 > rounds / 4)
        }
    }

    @Test func closesIdleConnectionsFirst() async {
        await #expect(processExitsWith: .success) {
            // Too few for the 150 requests if no connection is closed, since each has a descriptor at both ends. What the
            // process has from its parent does not count.
            let limit = Descriptors.openCount(below: 1024) + 280
            try Descriptors.limit(to: limit)
            let first = try LoopbackServer()
            let second = try LoopbackServer()
            // The servers share the limit: they may have to accept the connections of 60 requests yet, and close their
            // ends of 48 that the client has closed.
            let client = HTTPClient(connectTimeout: .seconds(60), reservedDescriptors: 108)
            for (server, count) in [(first, 90), (second, 60)] {
                let gate = Gate()
                server.otherwise { _ in .text("ok").held(by: gate) }
                let responses = Task {
                    await withTaskGroup(of: String.self) { group in
                        for _ in 0..<count { group.addTask { await client.outcome(of: server.url("/")) } }
                        return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
                    }
                }
                do {
                    try await server.wait { $0.requests.count >= count * 2 / 3 }
                } catch {
                    // An error that the body throws ends the process by a trap, and is lost.
                    Issue.record(error, "the lowest free descriptor is \(try Descriptors.lowestFree())")
                }
                gate.open()
                #expect(await responses.value == ["ok": count])
            }
            #expect(try Descriptors.lowestFree() < limit)
        }
    }

    @Test func reportsThatNoDescriptorIsLeft() async {
        await #expect(processExitsWith: .success) {
            try Descriptors.limit(to: 256)
            let server = try BacklogServer()
            server.answer(2)
            let client = HTTPClient(connectTimeout: .milliseconds(200))
            #expect(await client.outcome(of: server.url) == "ok")
            _ = try await ProcessCensus.first()
            let taken = Descriptors.takeAll()
            #expect(await client.outcome(of: server.url) == "connection.resource-exhausted")
            #expect(await client.outcome(of: "http://name.invalid/") == "connection.resource-exhausted")
            #expect(
                await HTTPClient(connectTimeout: .seconds(1)).outcome(of: server.url) == "connection.resource-exhausted"
            )
            for descriptor in taken { close(descriptor) }
            #expect(await client.outcome(of: server.url) == "ok")
        }
    }

    @Test func aRequestWaitsForADescriptor() async {
        await #expect(processExitsWith: .success) {
            try Descriptors.limit(to: 256)
            let (server, scheduler) = (try BacklogServer(), TestScheduler())
            server.answer(1)
            let client = HTTPClient(
                configuration: .init(options: .with { $0.timeouts.connect = .seconds(60) }),
                transport: CurlTransport(), scheduler: scheduler)
            #expect(await client.outcome(of: server.url) == "ok")
            _ = try await ProcessCensus.first()
            let taken = Descriptors.takeAll()
            let hasty = RequestOptions.with { $0.timeouts.total = .seconds(5) }
            let recorder = EventRecorder(of: client.events(for: HTTPRequest(.get, server.url, options: hasty)))
            try await client.waitForPlaces([.descriptor])
            scheduler.advance(by: .seconds(5))
            for descriptor in taken { close(descriptor) }
            let error = try #require(try await recorder.finished().failure)
            #expect(error.name == "timeout.total" && error.timeoutWait?.place == .descriptor)
        }
    }
}

/// The descriptors of this process.
private enum Descriptors {
    static func limit(to count: Int) throws {
        var limit = rlimit(rlim_cur: rlim_t(count), rlim_max: rlim_t(count))
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    }

    /// The lowest number that no descriptor has: all lower ones are open.
    static func lowestFree() throws -> Int {
        let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
        try #require(descriptor >= 0)
        close(descriptor)
        return Int(descriptor)
    }

    /// The number of open descriptors below a number.
    static func openCount(below end: CInt) -> Int {
        (0..<end).count { fcntl($0, F_GETFD) >= 0 }
    }

    /// Opens descriptors until there are no more.
    static func takeAll() -> [CInt] {
        var taken: [CInt] = []
        while true {
            let descriptor = fcntl(0, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { return taken }
            taken.append(descriptor)
        }
    }
}
#endif
