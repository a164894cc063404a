import Dispatch
import StreamsLoopback
import Testing

@testable import StreamsHTTP

/// Credentials from a login that come while the outcome of a renewal is being handed over: they are the newer ones.
@Suite(.reservesDescriptors) struct HandOverTests {
    private let login = #"{"access":"login","refresh":"r3"}"#

    private func client(of service: AccountServer, _ store: WatchedStore) -> HTTPClient {
        service.token.update { $0 = "login" }
        return service.client { $0.authorization = Accounts(store: store) }
    }

    private func takeLogin(_ client: HTTPClient) throws {
        let response = HTTPResponse(status: .ok, body: Data(login.utf8), url: URL(literal: "https://example.com/login"))
        _ = try client.configuration.decode(response, from: Login())
    }

    @Test func theRenewedOnesDoNotReplaceThem() async throws {
        let service = try AccountServer { _ in .json(#"{"access":"renewed","refresh":"r2"}"#) }
        let store = WatchedStore(service.store)
        let client = client(of: service, store)
        store.before { changes in
            if changes[Accounts.accessTokenKey] == "renewed" { try takeLogin(client) }
        }
        #expect(try await client.value(for: GetAccount()) == "hello")
        #expect(service.authorizations == ["Bearer old", "Bearer login"])
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r3")
    }

    @Test func aRefusalDoesNotForgetThem() async throws {
        let service = try AccountServer { _ in .json(#"{"error":"invalid_grant"}"#, status: 400) }
        let store = WatchedStore(service.store)
        let client = client(of: service, store)
        store.before { changes in
            if changes == [Accounts.refreshTokenKey: nil] { try takeLogin(client) }
        }
        #expect(try await client.value(for: GetAccount()) == "hello")
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r3")
    }

    @Test func theyMayBeOnTheirWayWhenTheRenewalEnds() async throws {
        let gate = Gate()
        let service = try AccountServer { _ in
            Reply.json(#"{"access":"renewed","refresh":"r2"}"#).held(by: gate)
        }
        let store = WatchedStore(service.store)
        let client = client(of: service, store)
        let (isLoggedIn, isRenewed) = (Watched(false), DispatchSemaphore(value: 0))
        store.after { changes in
            if changes[Accounts.accessTokenKey] == "renewed" { isRenewed.signal() }
            if changes[Accounts.accessTokenKey] == "login", !isLoggedIn.value {
                isLoggedIn.update { $0 = true }
                isRenewed.wait()
            }
        }
        async let value = client.value(for: GetAccount())
        try await service.server.wait { $0.requests.contains { $0.path == "/refresh" } }
        DispatchQueue.global().async { try? takeLogin(client) }
        try await isLoggedIn.wait(for: "the login") { $0 }
        gate.open()
        #expect(try await value == "hello")
        #expect(service.authorizations == ["Bearer old", "Bearer login"])
        #expect(service.store.credential(for: Accounts.refreshTokenKey) == "r3")
    }
}

/// A store that says when it is changed.
private final class WatchedStore: CredentialStore {
    typealias Hook = @Sendable ([String: String?]) throws -> Void

    private let base: InMemoryCredentialStore
    private let hooks = Watched<(before: Hook?, after: Hook?)>((nil, nil))

    init(_ base: InMemoryCredentialStore) {
        self.base = base
    }

    func before(_ hook: @escaping Hook) {
        hooks.update { $0.before = hook }
    }

    func after(_ hook: @escaping Hook) {
        hooks.update { $0.after = hook }
    }

    func credential(for key: String) -> String? {
        base.credential(for: key)
    }

    func update(_ changes: [String: String?]) throws {
        try hooks.value.before?(changes)
        base.update(changes)
        try hooks.value.after?(changes)
    }
}
