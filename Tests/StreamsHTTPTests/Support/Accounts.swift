import StreamsHTTP
import StreamsLoopback

struct Tokens: Codable, Sendable {
    var access: String?
    var refresh: String?
}

/// The calls of a service with accounts.
struct Login: AuthorizationEndpoint {
    var path: String { "/login" }
    var method: HTTPMethod { .post }

    func accessToken(from response: Tokens) -> String? { response.access }
    func refreshToken(from response: Tokens) -> String? { response.refresh }
}

struct Refresh: ReauthorizationEndpoint {
    let refreshToken: String
    var path: String { "/refresh" }
    var method: HTTPMethod { .post }
    var headers: HTTPHeaders { ["X-Refresh": refreshToken] }

    func accessToken(from response: Tokens) -> String? { response.access }
    func refreshToken(from response: Tokens) -> String? { response.refresh }
}

struct GetAccount: Endpoint {
    typealias Response = String
    var path = "/account"
}

typealias Accounts = OAuthAuthorization<Login, Refresh>

/// A service that knows one token at a time.
final class AccountServer: Sendable {
    let server: LoopbackServer
    let store: InMemoryCredentialStore
    /// The access token that is good.
    let token = Watched("new")

    /// - Parameter refreshing: Answers the call for new tokens.
    init(
        access: String? = "old", refresh: String? = "r1",
        refreshing: @escaping @Sendable (RecordedRequest) -> Reply = { _ in .json(#"{"access":"new"}"#) }
    ) throws {
        server = try LoopbackServer()
        store = InMemoryCredentialStore()
        store.update([Accounts.accessTokenKey: access, Accounts.refreshTokenKey: refresh])
        server.on("POST", "/refresh", reply: refreshing)
        for method in ["GET", "PUT"] {
            server.on(method, "/account") { [token] request in
                let isGood = request.headers["Authorization"] == "Bearer \(token.value)"
                return isGood ? .text("hello") : .text("who are you?", status: 401)
            }
        }
    }

    func client(_ change: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
        server.client().configuring {
            $0.authorization = Accounts(store: store)
            change(&$0)
        }
    }

    func requests(_ path: String) -> [RecordedRequest] {
        server.requests.filter { $0.path == path }
    }

    /// The `Authorization` of each request for an account, in order.
    var authorizations: [String?] { requests("/account").map { $0.headers["Authorization"] } }
}
