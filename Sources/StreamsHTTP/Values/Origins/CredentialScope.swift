/// The origins that may receive a client's credentials: those of the base URL and of
/// ``HTTPClient/Configuration/credentialOrigins``.
///
/// Credentials are sensitive header fields and client certificates. Those that a request sets itself are for the origin
/// of its own URL. All others are confined to the scope: the client's defaults, those that interceptors and the
/// authorization add, and those that a redirect would carry to another origin.
struct CredentialScope: Sendable {
    private struct Origins: Sendable {
        let named: [URL]
        let keys: Set<String>
    }

    // Boxed, because configurations are copied often.
    private let origins: Box<Origins>

    init(baseURL: URL?, named: [URL]) {
        origins = Box(Origins(named: named, keys: Set((named + [baseURL].compactMap(\.self)).map(\.origin))))
    }

    /// The origins besides that of the base URL.
    var named: [URL] { origins.value.named }

    /// Whether no origin may receive the client's credentials.
    var isEmpty: Bool { origins.value.keys.isEmpty }

    func contains(_ url: URL) -> Bool { origins.value.keys.contains(url.origin) }

    /// Returns whether a request may have the client's credentials. A redirect from an origin outside of the scope may
    /// not lead the credentials to any origin, even to one in the scope.
    func contains(_ url: URL, after redirects: [URL]) -> Bool {
        contains(url) && redirects.allSatisfy { contains($0) }
    }

    /// Returns whether a request takes part in the client's ``CookieJar``: gets its cookies, and sets others.
    ///
    /// Cookies have rules of their own for the hosts that receive them. But a redirect from outside of the scope may not
    /// make the client act in its session at an origin in the scope.
    func allowsCookies(of url: LazyURL, after redirects: [URL]) -> Bool {
        isEmpty || redirects.allSatisfy { contains($0) } || !contains(url.url)
    }

    /// Returns an adapted request without the credentials that its origin may not receive.
    ///
    /// The credentials that the interceptors added are removed outside of the scope; if the scope is empty, at other
    /// origins than that of the first request. If the interceptors changed the origin, those of the request are too.
    ///
    /// - Parameters:
    ///   - adapted: The request as the interceptors returned it.
    ///   - original: The request before its adaptation.
    ///   - redirects: The URLs that redirected to the request.
    func confining(
        _ adapted: TransportRequest, adaptedFrom original: TransportRequest, after redirects: [URL]
    ) -> TransportRequest {
        guard adapted.hasCredentials else { return adapted }
        let scope = isEmpty ? CredentialScope(baseURL: redirects.first ?? original.url, named: []) : self
        guard !scope.contains(adapted.url, after: redirects) else { return adapted }
        return adapted.removingCredentials(except: adapted.url.hasSameOrigin(as: original.url) ? original : nil)
    }
}

extension TransportRequest {
    fileprivate var hasCredentials: Bool {
        connection.clientCertificate != nil || headers.contains(where: \.isSensitive)
    }

    /// Returns this request without its credentials, except for those that another request has too.
    func removingCredentials(except kept: TransportRequest? = nil) -> TransportRequest {
        var request = self
        request.headers = headers.removingSensitiveFields(except: kept?.headers ?? [:])
        if let certificate = connection.clientCertificate, certificate != kept?.connection.clientCertificate {
            request.connection.clientCertificate = nil
        }
        return request
    }
}
