/// The rules that decide whether redirects are followed, and how many (RFC 9110, section 15.4).
///
/// 303, and 301 or 302 in response to a POST, are followed with a GET without the body, or with the request's method if
/// the policy keeps it; every other redirect keeps method and body, also to another origin, and fails if the body cannot
/// be sent again. Fields that describe the body are removed with it.
///
/// A redirect to another origin (scheme, host or port) drops the sensitive fields (``HTTPHeaders/Field/isSensitive``)
/// and the client certificate, unless both origins are the client's (``HTTPClient/Configuration/credentialOrigins``),
/// and `Host`, which the URL determines. User information in `Location` is ignored (RFC 9110, section 4.2.4). A call
/// that obtains or renews credentials for an ``AuthorizationProvider`` is not redirected to another origin.
///
/// A location without a fragment inherits that of the request's URL (RFC 9110, section 10.2.2).
///
/// ```swift
/// options.redirects = .follow(where: { $0.url.scheme == "https" && !$0.hasBody })
/// ```
public struct RedirectPolicy: Hashable, Sendable {
    /// A redirect that a policy is about to follow.
    public struct Hop: Sendable {
        /// The head of the response that redirects, with the URL of its request and the redirects before it.
        public let response: HTTPResponse<Void>
        /// The URL that the redirect leads to, without credentials.
        public let url: URL
        /// The method of the next request.
        public let method: HTTPMethod
        /// Whether the next request has a body.
        public let hasBody: Bool
    }

    /// A closure that decides on redirects.
    typealias Rule = Unique<@Sendable (Hop) -> Bool>

    /// The maximum number of redirects; `nil` if redirects are delivered as responses.
    let limit: Int?
    let allowsInsecure: Bool
    /// Whether the method is kept where it would become GET.
    private(set) var keepsMethod = false
    /// The rule that may refuse redirects; `nil` if there is none.
    private(set) var rule: Rule?

    /// Follows redirects up to a limit; one more is an error.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects.
    ///   - allowingInsecure: Whether a redirect from https to http is followed too.
    ///   - keepingMethod: Whether a redirect that would be followed with a GET is followed with the request's method,
    ///     without the body, too.
    public static func follow(
        max limit: Int, allowingInsecure: Bool = false, keepingMethod: Bool = false
    ) -> RedirectPolicy {
        RedirectPolicy(limit: max(limit, 0), allowsInsecure: allowingInsecure, keepsMethod: keepingMethod)
    }

    /// Follows redirects up to a limit, unless a closure refuses one: the request then fails with
    /// ``HTTPError/Redirect/refused``.
    ///
    /// Policies with a closure are equal only if one is a copy of the other.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of redirects.
    ///   - allowingInsecure: Whether a redirect from https to http is followed too.
    ///   - keepingMethod: Whether a redirect that would be followed with a GET is followed with the request's method,
    ///     without the body, too.
    ///   - shouldFollow: Returns whether a redirect is followed. It is called for each redirect that could be, on the
    ///     transport's thread, and should return quickly.
    public static func follow(
        max limit: Int = 10, allowingInsecure: Bool = false, keepingMethod: Bool = false,
        where shouldFollow: @escaping @Sendable (Hop) -> Bool
    ) -> RedirectPolicy {
        RedirectPolicy(
            limit: max(limit, 0), allowsInsecure: allowingInsecure, keepsMethod: keepingMethod, rule: Rule(shouldFollow)
        )
    }

    /// Follows up to ten redirects.
    public static let follow = RedirectPolicy.follow(max: 10)

    /// Delivers redirects as responses.
    public static let deliver = RedirectPolicy(limit: nil, allowsInsecure: false)
}

extension RedirectPolicy {
    /// Returns the request that a response redirects to, without the credentials that may not be sent there.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - request: The request that was sent.
    ///   - original: The request before its adaptation, which the next one is derived from.
    ///   - count: The number of redirects followed before.
    ///   - scope: The origins among which credentials are kept.
    ///   - isConfined: Whether a redirect to another origin outside of the scope is an error.
    /// - Returns: `nil` if the response is no redirect, or redirects are not followed.
    func next(
        after head: HTTPResponse<Void>, to request: TransportRequest, adaptedFrom original: TransportRequest? = nil,
        count: Int, scope: CredentialScope = CredentialScope(baseURL: nil, named: []), isConfined: Bool = false
    ) throws(HTTPError.Reason) -> TransportRequest? {
        guard let limit, [301, 302, 303, 307, 308].contains(head.status.code),
            var location = head.headers.text(for: "Location")?.urlText
        else { return nil }
        if request.isUpgrade { location = location.withHTTPScheme }
        guard count < limit else { throw .redirect(.tooMany(limit: limit)) }
        var next = original ?? request
        // An interceptor may have sent the request to another origin than that of its credentials.
        let sources = [request.url, next.url]
        next.lazyURL = try Self.target(of: location, from: request.lazyURL)
        let url = next.url
        if !allowsInsecure, request.url.scheme?.lowercased() == "https", url.scheme?.lowercased() == "http" {
            throw .redirect(.insecure)
        }
        if !sources.allSatisfy({ url.hasSameOrigin(as: $0) }) {
            next.headers.remove("Host")
            if !scope.contains(url, after: sources) {
                if isConfined { throw .redirect(.leavesOrigin) }
                next = next.removingCredentials()
            }
        }
        if Self.changesToGet(head.status, request.method) {
            if !keepsMethod { next.method = .get }
            next.body = .empty
            next.headers = next.headers.removingBodyFields()
        } else if !next.body.isReplayable {
            throw .redirect(.bodyNotReplayable)
        }
        return next
    }

    /// Returns the URL that a location or a link leads to.
    static func target(of location: String, from source: LazyURL) throws(HTTPError.Reason) -> LazyURL {
        do {
            let target = try URLResolver(baseURL: source.url).target(ofLocation: location).url
            return target.inheritingFragment(of: source)
        } catch {
            if case .invalidRequest(let invalid) = error, invalid.code == .unsupportedScheme {
                throw .redirect(HTTPError.Redirect(.unsupportedScheme, invalid.detail))
            }
            throw .redirect(.unfollowable(location: location.withoutUserInformation))
        }
    }

    private static func changesToGet(_ status: HTTPStatus, _ method: HTTPMethod) -> Bool {
        switch status {
        case .seeOther: method != .get && method != .head
        case .movedPermanently, .found: method == .post
        default: false
        }
    }
}
