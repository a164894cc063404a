import StreamsLoopback
import Testing

@testable import StreamsHTTP

#if canImport(Glibc)
/// A name server that does not answer.
@Suite(.needs(.clang), .serialized, .reservesDescriptors) struct LookupTests {
    @Test(arguments: ["boundsLookupsAtOnce", "looksUpANameOnce", "requestsWaitForALookup", "enginesShareLookups"])
    func passesInAProcessWithASlowResolver(test: String) async throws {
        let run = try await SlowResolver.run("SlowResolverTests/\(test)")
        #expect(run.status == 0 && run.output.contains("\(test)() passed"), "\(run.output)")
    }
}

/// The tests of a process of their own, whose threads are all theirs. In other processes they pass without a check.
@Suite(.serialized) struct SlowResolverTests {
    @Test func boundsLookupsAtOnce() async throws {
        guard let resolver = SlowResolver.installed else { return }
        let server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
        let port = server.port
        let before = try await ProcessCensus.first()
        let impatient = HTTPClient(connectTimeout: .milliseconds(300))
        let outcomes = await withTaskGroup(of: String.self) { group in
            for number in 0..<300 {
                group.addTask { await impatient.outcome(of: "http://\(number)\(SlowResolver.suffix):\(port)/") }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["timeout.connect": 300])
        #expect((1...32).contains(resolver.highest))
        let during = ProcessCensus.now
        #expect(during.threads - before.threads < 60)
        #expect(during.descriptors - before.descriptors < 130)
        // An address needs no lookup.
        #expect(await impatient.outcome(of: server.url("/")) == "ok")

        let patient = HTTPClient(connectTimeout: .seconds(60))
        async let last = patient.outcome(of: "http://last\(SlowResolver.suffix):\(port)/")
        resolver.answer()
        #expect(await last == "ok")
        #expect(await impatient.outcome(of: "http://next\(SlowResolver.suffix):\(port)/") == "ok")
    }

    /// With four descriptors in reserve, a transport runs one lookup at once, whichever engine begins it.
    @Test func enginesShareLookups() async throws {
        guard let resolver = SlowResolver.installed else { return }
        let server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
        let transport = CurlTransport(configuration: .init(reservedDescriptors: 4, engineCount: 2))
        let options = RequestOptions.with { $0.timeouts.connect = .seconds(60) }
        let client = HTTPClient(configuration: .init(options: options), transport: transport)
        let outcomes = Task { [port = server.port] in
            await withTaskGroup(of: String.self) { group in
                for number in 0..<20 {
                    group.addTask { await client.outcome(of: "http://\(number)\(SlowResolver.suffix):\(port)/") }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
        }
        try await client.waitForRequests(20, at: .nameLookup)
        // Nothing tells when the thread of the lookup has begun it.
        for _ in 0..<1_000 where resolver.total == 0 { try await Task.sleep(for: .milliseconds(10)) }
        #expect(transport.engines.withLock { $0.running.count } == 2 && resolver.total == 1)
        resolver.answer()
        #expect(await outcomes.value == ["ok": 20])
        #expect(resolver.highest == 1)
    }

    @Test func looksUpANameOnce() async throws {
        guard let resolver = SlowResolver.installed else { return }
        let server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
        let port = server.port
        let client = HTTPClient(connectTimeout: .seconds(60))
        let outcomes = Task {
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<40 {
                    group.addTask { await client.outcome(of: "http://name\(SlowResolver.suffix):\(port)/") }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
        }
        while resolver.total == 0 { await Task.yield() }
        // A request that needs no lookup does not wait for those that do.
        #expect(await client.outcome(of: server.url("/")) == "ok")
        resolver.answer()
        #expect(await outcomes.value == ["ok": 40])
        // Newer versions look up the addresses of IPv4 and IPv6 apart. Since 8.15, at the earliest, they connect once they
        // have one of them. Then one of the requests that waited looks the name up again.
        let looksUpOnce = CurlTransport.runtime.version < CurlTransport.Runtime.Version(number: 0x080F00)
        #expect(resolver.total <= (looksUpOnce ? 2 : 4))
    }

    @Test func requestsWaitForALookup() async throws {
        guard let resolver = SlowResolver.installed else { return }
        let server = try LoopbackServer()
        server.otherwise { _ in .text("ok") }
        let url = "http://name\(SlowResolver.suffix):\(server.port)/"
        let client = HTTPClient(connectTimeout: .seconds(60))
        let recorders = (0..<2).map { _ in EventRecorder(of: client.events(for: HTTPRequest(.get, url))) }
        // Of the lookup that is under way, and of the other, which waits for its result.
        try await client.waitForPlaces([.nameLookup, .nameLookup])
        let impatient = HTTPClient(connectTimeout: .milliseconds(100))
        let error = try await failure { () throws(HTTPError) in
            try await impatient.response(for: HTTPRequest(.get, url))
        }
        #expect(error.name == "timeout.connect" && error.timeoutWait?.place == .nameLookup)
        resolver.answer()
        for recorder in recorders { #expect(try await recorder.finished().body == Data("ok".utf8)) }
    }
}
#endif
