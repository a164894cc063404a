import StreamsHTTP
import StreamsLoopback
import Testing

/// Identical requests that share one exchange.
@Suite(.serialized, .reservesDescriptors) struct SharedRequestTests {
    private let server: LoopbackServer
    private let client: HTTPClient

    init() throws {
        server = try LoopbackServer()
        client = server.client(options: .with { $0.sharesInFlight = true })
    }

    private init(_ server: LoopbackServer, _ client: HTTPClient) {
        self.server = server
        self.client = client
    }

    private func join(_ count: Int, _ path: String = "/", on client: HTTPClient) -> [EventRecorder<Greeting>] {
        (0..<count).map { _ in
            EventRecorder(of: client.events(for: Call<Greeting>(.get, path)))
        }
    }

    @Test func aHundredAreOneForTheServer() async throws {
        let gate = Gate()
        server.on("GET", "/", .json(#"{"text":"hello"}"#).held(by: gate))
        let recorders = join(100, on: client)
        gate.open()
        for recorder in recorders {
            let recording = try await recorder.finished()
            #expect(recording.response?.body.text == "hello")
        }
        #expect(server.requests.count == 1)
    }

    @Test func oneAfterTheOtherAreTwo() async throws {
        server.on("GET", "/", .json(#"{"text":"hello"}"#))
        for _ in 1...2 { _ = try await client.value(for: Call<Greeting>(.get, "/")) }
        #expect(server.requests.count == 2)
    }

    @Test func oneThatStaysKeepsTheExchange() async throws {
        let gate = Gate()
        server.on("GET", "/", .json(#"{"text":"hello"}"#).held(by: gate))
        let recorders = join(100, on: client)
        try await server.waitForRequests(1)
        for recorder in recorders.dropLast() { recorder.cancel() }
        gate.open()
        let recording = try await recorders[99].finished()
        #expect(recording.response?.body.text == "hello")
        #expect(server.requests.count == 1)
        for recorder in recorders.dropLast() { #expect(!recorder.recording.value.isComplete) }
    }

    @Test func theLastToLeaveEndsTheExchange() async throws {
        server.on("GET", "/", .json("{}").held(by: Gate()))
        let recorders = join(100, on: client)
        try await server.waitForRequests(1)
        for recorder in recorders { recorder.cancel() }
        try await server.waitForDisconnection(of: 1)
        // Whoever comes then is the first of another.
        let next = join(1, on: client)
        try await server.waitForRequests(2)
        next[0].cancel()
    }

    @Test func anErrorIsEverybodys() async throws {
        let gate = Gate()
        server.on("GET", "/", Reply(404, body: .bytes(Array("nothing".utf8))).held(by: gate))
        let recorders = join(10, on: client)
        try await server.waitForRequests(1)
        gate.open()
        for recorder in recorders {
            let recording = try await recorder.finished()
            #expect(recording.failure?.status == .notFound)
            #expect(recording.failure?.response.map { String(decoding: $0.body, as: UTF8.self) } == "nothing")
        }
        #expect(server.requests.count == 1)
    }

    @Test func eachDecodesForItself() async throws {
        let gate = Gate()
        server.on("GET", "/", .json(#"{"text":"hello"}"#).held(by: gate))
        let greeting = EventRecorder(of: client.events(for: Call<Greeting>(.get, "/")))
        let number = EventRecorder(of: client.events(for: Call<Int>(.get, "/")))
        let data = EventRecorder(of: client.events(for: Call<Data>(.get, "/")))
        try await server.waitForRequests(1)
        gate.open()
        #expect(try await greeting.finished().response?.body.text == "hello")
        #expect(try await data.finished().response?.body == Data(#"{"text":"hello"}"#.utf8))
        let failure = try #require(try await number.finished().failure)
        #expect(failure.reason.outline == "decoding(DecodingError)" && failure.attempt == 1)
        #expect(server.requests.count == 1)
    }

    @Test func oneThatComesLateIsToldWhatHasHappened() async throws {
        let gate = Gate()
        let half = Reply.Body.Piece.generated(100_000)
        server.on("GET", "/", Reply(body: Reply.Body([half, .hold(gate), half])))
        let first = EventRecorder(of: client.events(for: Call<Data>(.get, "/")))
        // Progress is published in steps of a hundredth: the last of them may come before the end of the half.
        try await first.wait(for: "half of it") { $0.downloads.last?.completed ?? 0 > 98_000 }
        let late = EventRecorder(of: client.events(for: Call<Data>(.get, "/")))
        let joined = try await late.wait(for: "the past") { !$0.downloads.isEmpty }
        #expect(joined.outline == ["attempt 1", "head 200"])
        #expect(joined.downloads.count == 1)
        gate.open()
        for recorder in [first, late] {
            let recording = try await recorder.finished()
            let body = try #require(recording.response?.body)
            #expect(body.count == 200_000 && GeneratedBytes.matches(body, at: 0))
        }
        #expect(server.requests.count == 1)
    }

    @Test func whoeverAsksForLittleGetsLittle() async throws {
        server.on("GET", "/", .json(#"{"text":"hello"}"#))
        let slow = EventRecorder(of: client.events(for: Call<Greeting>(.get, "/")), demand: .max(1))
        let fast = EventRecorder(of: client.events(for: Call<Greeting>(.get, "/")))
        try await fast.finished()
        #expect(slow.recording.value.eventCount <= 1)
        slow.request(.unlimited)
        #expect(try await slow.finished().response?.body.text == "hello")
    }

    @Test func nothingIsSentBeforeSomethingIsAskedFor() async throws {
        server.on("GET", "/", .json(#"{"text":"hello"}"#))
        let recorder = EventRecorder(of: client.events(for: Call<Greeting>(.get, "/")), demand: .none)
        let other = EventRecorder(of: client.events(for: Call<Greeting>(.get, "/")), demand: .none)
        other.cancel()
        other.request(.unlimited)
        server.on("GET", "/fence", .text("fence"))
        _ = try await client.response(for: HTTPRequest(.get, "/fence"))
        #expect(server.requests.map(\.path) == ["/fence"])
        recorder.request(.unlimited)
        try await recorder.finished()
    }

    @Test func cancellingATaskLeavesTheOthers() async throws {
        let gate = Gate()
        server.on("GET", "/", .json(#"{"text":"hello"}"#).held(by: gate))
        let client = client
        let stays = Task { try await client.value(for: Call<Greeting>(.get, "/")) }
        try await server.waitForRequests(1)
        let leaves = Task {
            try await failure { () throws(HTTPError) in try await client.value(for: Call<Greeting>(.get, "/")) }
        }
        leaves.cancel()
        #expect(try await leaves.value.isCancellation)
        gate.open()
        #expect(try await stays.value.text == "hello")
    }

    @Test func cancellingAllReachesEverybody() async throws {
        server.on("GET", "/", .json("{}").held(by: Gate()))
        let recorders = join(10, on: client)
        try await server.waitForRequests(1)
        client.cancelAll()
        for recorder in recorders {
            let recording = try await recorder.finished()
            #expect(recording.failure?.isCancellation == true)
        }
        try await server.waitForDisconnection(of: 1)
    }

    // MARK: Identity

    /// Returns the number of exchanges of two concurrent calls, of which the second is changed.
    private func exchanges(_ change: (inout Call<Data>) -> Void) async throws -> Int {
        let gate = Gate()
        let before = server.requests.count
        server.otherwise { _ in .text("well").held(by: gate) }
        var call = Call<Data>(.get, "/same")
        call.headers = ["X-A": "1"]
        let first = EventRecorder(of: client.events(for: call))
        change(&call)
        let second = EventRecorder(of: client.events(for: call))
        gate.open()
        for recorder in [first, second] { #expect(try await recorder.finished().response?.status == .ok) }
        return server.requests.count - before
    }

    @Test func whatAgreesIsShared() async throws {
        #expect(try await exchanges { _ in } == 1)
        // Names of fields are compared without case (RFC 9110, section 5.1).
        #expect(try await exchanges { $0.headers = ["x-a": "1"] } == 1)
        let validation = ResponseValidation.custom { _ in true }
        let client = server.client(options: .with { ($0.sharesInFlight, $0.validation) = (true, validation) })
        #expect(try await SharedRequestTests(server, client).exchanges { $0.options.validation = validation } == 1)
    }

    @Test func whatDiffersIsNotShared() async throws {
        let changes: [(String, (inout Call<Data>) -> Void)] = [
            ("method", { $0.method = .head }), ("path", { $0.path = "/other" }),
            ("query", { $0.query = [HTTPQuery.Item("a", "b")] }), ("header", { $0.headers["X-A"] = "2" }),
            ("unsafe", { $0.method = .post }), ("body", { $0.body = .text("body") }),
            ("option", { $0.options.sharesInFlight = false }),
            ("connection", { $0.options.connection.decodesContent = false }),
            ("timeouts", { $0.options.timeouts.total = .seconds(1000) }),
            ("redirects", { $0.options.redirects = .deliver }),
            ("retry", { $0.options.retry = RetryPolicy(maxRetries: 1) }),
            ("validation", { $0.options.validation = .acceptAll }),
            ("custom validation", { $0.options.validation = .custom { _ in true } }),
            ("size", { $0.options.maxBodySize = 1000 }), ("error size", { $0.options.maxErrorBodySize = 1000 }),
            ("progress", { $0.options.progress = .everyChunk }),
            ("hedging", { $0.options.hedging.delay = .seconds(1000) }),
            ("limits", { $0.options.headLimits.maxFieldCount = 999 }), ("preview", { $0.options.previewName = "same" }),
            ("compression", { $0.options.compression = .gzip }),
            ("authorization", { $0.options.requiresAuthorization = false }),
            ("dots", { $0.options.keepsDotSegments = true }), ("cache", { $0.options.cache.mode = .validated }),
        ]
        for (name, change) in changes { #expect(try await exchanges(change) == 2, "\(name)") }
        // What is asked of the body is a rule of its own, and so is every addition to it.
        for validation in [.successOnly, ResponseValidation.successOnly.inspectingBody { _ in true }] {
            let client = server.client(options: .with { ($0.sharesInFlight, $0.validation) = (true, validation) })
            let count = try await SharedRequestTests(server, client).exchanges {
                $0.options.validation = validation.inspectingBody { $0.body.count == 4 }
            }
            #expect(count == 2)
        }
    }

    /// Requests that differ only in what an interceptor has set do not share an exchange.
    @Test func sharesNoRequestThatAnInterceptorTellsApart() async throws {
        let gate = Gate()
        server.otherwise { _ in .text("well").held(by: gate) }
        let changes: [@Sendable (inout TransportRequest) -> Void] = [
            { _ in }, { _ in }, { $0.idleTimeout = .seconds(7) }, { $0.connectTimeout = .seconds(7) },
            { $0.minimumRate = RequestOptions.Timeouts.MinimumRate(bytesPerSecond: 1) },
            { $0.headLimits.maxFieldCount = 999 }, { $0.connection.addressFamily = .ipv4 },
            { $0.cache.mode = .validated },
        ]
        let number = Watched(0)
        let client = client.configuring {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    var request = request
                    let index = number.update { number in
                        number += 1
                        return number - 1
                    }
                    changes[index](&request)
                    return request
                })
            ]
        }
        let recorders = join(changes.count, on: client)
        try await server.waitForRequests(changes.count - 1)
        gate.open()
        for recorder in recorders { _ = try await recorder.finished() }
        #expect(server.requests.count == changes.count - 1)
    }

    private enum Tenant {
        @TaskLocal static var name = "none"
    }

    private func clientOfTenants(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        client.configuring {
            $0.interceptors = [
                Hook(onAdapt: { request, _ in
                    var request = request
                    request.headers.set("Authorization", "Bearer \(Tenant.name)")
                    return request
                })
            ]
            change(&$0)
        }
    }

    /// Makes a request for each tenant, all at once, and returns the greetings.
    private func greetings(_ tenants: [String], on client: HTTPClient, opening gate: Gate) async throws -> [String?] {
        let recorders = tenants.map { tenant in
            let recorder = EventRecorder<Greeting>()
            Tenant.$name.withValue(tenant) { client.events(for: Call<Greeting>(.get, "/")).subscribe(recorder) }
            return recorder
        }
        try await server.waitForRequests(Set(tenants).count)
        gate.open()
        var greetings: [String?] = []
        for recorder in recorders { greetings.append(try await recorder.finished().response?.body.text) }
        return greetings
    }

    @Test func doesNotShareBetweenIdentitiesOfInterceptors() async throws {
        let gate = Gate()
        server.on("GET", "/") { request in
            .json(#"{"text":"\#(request.headers["Authorization"] ?? "")"}"#).held(by: gate)
        }
        let greetings = try await greetings(["a", "b"], on: clientOfTenants(), opening: gate)
        #expect(greetings == ["Bearer a", "Bearer b"])
    }

    @Test func sharesAmongTheSameIdentity() async throws {
        let (gate, log) = (Gate(), Watched<[String]>([]))
        server.on("GET", "/") { request in
            .json(#"{"text":"\#(request.headers["Authorization"] ?? "")"}"#).held(by: gate)
        }
        let monitor = LogMonitor(.exchanges) { line in log.update { $0.append(line) } }
        let client = clientOfTenants { $0.monitors = [monitor] }
        let tenants = ["a", "b", "a", "a", "b"]
        let greetings = try await greetings(tenants, on: client, opening: gate)
        #expect(greetings == tenants.map { "Bearer \($0)" })
        await client.shutdown()
        // The monitors observe exchanges, not those who join them.
        #expect(server.requests.count == log.value.count { $0.contains(" GET ") })
        #expect(server.requests.count == log.value.count { $0.contains(" finished ") })
        #expect(log.value.count { $0.contains(" attempt 1") } == server.requests.count)
    }

    @Test func sharesWhatTheAuthorizationAdapts() async throws {
        let gate = Gate()
        server.on("GET", "/") { request in
            .json(#"{"text":"\#(request.headers["Authorization"] ?? "")"}"#).held(by: gate)
        }
        let client = client.configuring {
            $0.authorization = .bearer("t")
        }
        let recorders = join(20, on: client)
        try await server.waitForRequests(1)
        for recorder in recorders[10...] { recorder.cancel() }
        gate.open()
        for recorder in recorders[..<10] {
            #expect(try await recorder.finished().response?.body.text == "Bearer t")
        }
    }

    @Test func cancelsAdaptedRequestsThatAreShared() async throws {
        server.on("GET", "/", .json("{}").held(by: Gate()))
        let client = clientOfTenants()
        let recorders = join(10, on: client)
        try await server.waitForRequests(1)
        client.cancelAll()
        for recorder in recorders {
            #expect(try await recorder.finished().failure?.isCancellation == true)
        }
        try await server.waitForDisconnection(of: 1)
    }

    @Test func failsIfTheAdaptationFails() async throws {
        struct Refusal: Error {}
        let client = client.configuring { $0.interceptors = [Hook(onAdapt: { _, _ in throw Refusal() })] }
        for recorder in join(3, on: client) {
            let recording = try await recorder.finished()
            #expect(recording.failure?.reason.outline == "thrown.interceptor(Refusal)")
            #expect(recording.outline == ["attempt 1"])
        }
        #expect(server.requests.isEmpty)
    }

    @Test func aDerivedClientDoesNotShare() async throws {
        let gate = Gate()
        server.on("GET", "/", .json(#"{"text":"hello"}"#).held(by: gate))
        let recorders = join(2, on: client) + join(1, on: client.configuring { _ in })
        try await server.waitForRequests(2)
        gate.open()
        for recorder in recorders { try await recorder.finished() }
        #expect(server.requests.count == 2)
    }

    @Test func chunksAreNotShared() async throws {
        let gate = Gate()
        server.on("GET", "/", .text("well").held(by: gate))
        let recorders = (0..<2).map { _ in EventRecorder<Void>() }
        for recorder in recorders { client.events(for: HTTPRequest(.get, "/")).subscribe(recorder) }
        gate.open()
        for recorder in recorders { try await recorder.finished() }
        #expect(server.requests.count == 2)
    }
}
