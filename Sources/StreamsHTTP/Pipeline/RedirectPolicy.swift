/// Whether redirects are followed, and how far (RFC 9110, section 15.4).
///
/// 303, and 301 or 302 in answer to a POST, are followed with a GET without the body; every other redirect keeps method
/// and body, and fails where the body cannot be sent again. What the header says of a body goes with it. On the way to
/// another origin (scheme, host or port), the headers that are sensitive (``HTTPHeaders/Field/isSensitive``) stay
/// behind, and so does a `Host`, which the URL says.
public struct RedirectPolicy: Hashable, Sendable {
    /// How many redirects are followed; `nil` when a redirect is a response like any other.
    let limit: Int?
    let allowsInsecure: Bool

    /// Follows up to so many redirects; one more is an error.
    ///
    /// - Parameters:
    ///   - limit: How many redirects are followed.
    ///   - allowingInsecure: Whether a redirect from https to http is followed too.
    public static func follow(max limit: Int, allowingInsecure: Bool = false) -> RedirectPolicy {
        RedirectPolicy(limit: max(limit, 0), allowsInsecure: allowingInsecure)
    }

    /// Follows up to ten redirects.
    public static let follow = RedirectPolicy.follow(max: 10)

    /// Delivers redirects as responses.
    public static let deliver = RedirectPolicy(limit: nil, allowsInsecure: false)
}

extension RedirectPolicy {
    /// The request that a response redirects to.
    ///
    /// - Parameter count: How many redirects have been followed before.
    /// - Returns: `nil` where the response is no redirect that asks to be followed.
    func next(
        after head: HTTPResponse<Void>, to request: TransportRequest, count: Int
    ) throws(HTTPError.Reason) -> TransportRequest? {
        guard let limit, [301, 302, 303, 307, 308].contains(head.status.code),
            let location = head.headers["Location"]
        else { return nil }
        guard count < limit else { throw .redirect(.tooMany(limit: limit)) }
        guard let url = URL(string: location, relativeTo: request.url)?.absoluteURL else {
            throw .redirect(.unfollowable(location: location.redactedTarget))
        }
        let target = try Self.target(url, location: location)
        if !allowsInsecure, request.url.scheme?.lowercased() == "https", target.url.scheme?.lowercased() == "http" {
            throw .redirect(.insecure)
        }
        var next = request
        next.url = target.url
        if !target.url.hasSameOrigin(as: request.url) {
            next.headers = next.headers.removingSensitiveFields()
            next.headers.remove("Host")
        }
        if let authorization = target.authorization { next.headers.set("Authorization", authorization) }
        if Self.changesToGet(head.status, request.method) {
            next.method = .get
            next.body = .empty
            next.headers = next.headers.removingBodyFields()
        } else if !request.body.isReplayable {
            throw .redirect(.bodyNotReplayable)
        }
        return next
    }

    private static func target(_ url: URL, location: String) throws(HTTPError.Reason) -> RequestTarget {
        do {
            return try RequestTarget(url)
        } catch {
            if case .invalidRequest(.unsupportedScheme(let scheme)) = error {
                throw .redirect(.unsupportedScheme(scheme))
            }
            throw .redirect(.unfollowable(location: location.redactedTarget))
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
