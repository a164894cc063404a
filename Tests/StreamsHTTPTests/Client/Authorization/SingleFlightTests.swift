import StreamsHTTP
import StreamsLoopback
import Testing

/// One renewal, however many find at once that they need it.
@Suite(.serialized, .reservesDescriptors) struct SingleFlightTests {
    /// Runs so many calls at once. The renewal is held until each of them has begun.
    private func run(
        _ count: Int, on service: AccountServer, gate: Gate, perHost limit: Int? = 64
    ) async -> [Result<String, HTTPError>] {
        let begun = Watched(0)
        var configuration = service.client().configuration
        configuration.interceptors = [
            Hook(onAdapt: { request, context in
                if context.attempt == 1 { begun.update { $0 += 1 } }
                return request
            })
        ]
        let client = HTTPClient(
            configuration: configuration,
            transport: CurlTransport(configuration: CurlTransport.Configuration(maxConnectionsPerHost: limit)))
        return await withTaskGroup(of: Result<String, HTTPError>?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    do throws(HTTPError) {
                        return .success(try await client.value(for: GetAccount()))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            group.addTask {
                // The call for new credentials is one more.
                _ = try? await begun.wait(for: "the beginning of all") { $0 > count }
                gate.open()
                return nil
            }
            var results: [Result<String, HTTPError>] = []
            for await result in group { if let result { results.append(result) } }
            return results
        }
    }

    @Test(.reservesDescriptors(150)) func aThousandRequestsRenewOnce() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new","refresh":"r2"}"#).held(by: gate) }
        let results = await run(1000, on: service, gate: gate)
        let values = results.compactMap { try? $0.get() }
        #expect(values.count == 1000 && values.allSatisfy { $0 == "hello" })
        #expect(service.requests("/refresh").count == 1)
    }

    @Test(.reservesDescriptors(150)) func aThousandRequestsFailWithTheirOwnError() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.status(400).held(by: gate) }
        let results = await run(1000, on: service, gate: gate)
        let errors = results.compactMap { if case .failure(let error) = $0 { error } else { nil } }
        #expect(errors.count == 1000)
        #expect(Set(errors.map(\.description)).count == 1)
        #expect(errors.allSatisfy { $0.status == .unauthorized && $0.attempt == 1 })
        #expect(errors.allSatisfy { $0.response?.body == Data("who are you?".utf8) })
        #expect(service.requests("/refresh").count == 1)
        #expect(service.authorizations.count == 1000)
    }

    @Test func lateRefusalsOfTheOldCredentialsRenewNothing() async throws {
        let service = try AccountServer()
        let late = Gate()
        service.server.on("GET", "/late") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .text("at last") : Reply.text("no", status: 401).held(by: late)
        }
        let client = service.client()
        async let value = client.value(for: GetAccount(path: "/late"))
        try await service.server.waitForRequests(1)
        #expect(try await client.value(for: GetAccount()) == "hello")
        late.open()
        #expect(try await value == "at last")
        #expect(service.requests("/refresh").count == 1)
    }

    @Test func newCredentialsFromALoginAreUsedInsteadOfARenewal() async throws {
        let service = try AccountServer()
        service.server.on("POST", "/login", .json(#"{"access":"new"}"#))
        let late = Gate()
        service.server.on("GET", "/late") { request in
            request.headers["Authorization"] == "Bearer new"
                ? .text("at last") : Reply.text("no", status: 401).held(by: late)
        }
        let client = service.client()
        async let value = client.value(for: GetAccount(path: "/late"))
        try await service.server.waitForRequests(1)
        _ = try await client.value(for: Login())
        late.open()
        #expect(try await value == "at last")
        #expect(service.requests("/refresh").isEmpty)
    }

    @Test func whoeverBeganTheRenewalMayLeave() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new"}"#).held(by: gate) }
        let client = service.client()
        let first = EventRecorder(of: client.events(for: GetAccount()))
        try await service.server.wait { $0.requests.contains { $0.path == "/refresh" } }
        let second = EventRecorder(of: client.events(for: GetAccount()))
        first.cancel()
        gate.open()
        #expect(try await second.finished().response?.body == "hello")
        #expect(service.requests("/refresh").count == 1)
        first.verify()
    }

    @Test func theRenewalIsFinishedThoughNobodyWaits() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new"}"#).held(by: gate) }
        let client = service.client()
        let only = EventRecorder(of: client.events(for: GetAccount()))
        try await service.server.wait { $0.requests.contains { $0.path == "/refresh" } }
        only.cancel()
        gate.open()
        #expect(try await client.value(for: GetAccount()) == "hello")
        #expect(service.authorizations == ["Bearer old", "Bearer new"])
    }

    @Test func requestsThatBeginMeanwhileWait() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new"}"#).held(by: gate) }
        let client = service.client()
        async let first = client.value(for: GetAccount())
        try await service.server.wait { $0.requests.contains { $0.path == "/refresh" } }
        let second = EventRecorder(of: client.events(for: GetAccount()))
        try await second.wait(for: "its attempt") { $0.attempts.count == 1 }
        // A request that is sent without credentials does not wait.
        let anonymous = try await failure { () async throws(HTTPError) in
            try await client.response(for: HTTPRequest(.get, "/account").requiringAuthorization(false))
        }
        #expect(anonymous.status == .unauthorized)
        gate.open()
        #expect(try await first == "hello")
        #expect(try await second.finished().outline == ["attempt 1", "head 200", "response 200"])
        #expect(service.authorizations == ["Bearer old", nil, "Bearer new", "Bearer new"])
    }

    @Test func derivedClientsShareTheRenewal() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in Reply.json(#"{"access":"new"}"#).held(by: gate) }
        let client = service.client()
        let derived = client.configuring { $0.defaultHeaders["X-Derived"] = "yes" }
        async let first = client.value(for: GetAccount())
        async let second = derived.value(for: GetAccount())
        try await service.server.wait { $0.requests.contains { $0.path == "/refresh" } }
        gate.open()
        #expect(try await [first, second] == ["hello", "hello"])
        #expect(service.requests("/refresh").count == 1)
    }
}
