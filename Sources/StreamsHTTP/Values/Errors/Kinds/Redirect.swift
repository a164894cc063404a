extension HTTPError {
    /// A kind of ``Reason/redirect(_:)``: the reason that a redirect, or the link to a next page, was not followed.
    public struct Redirect: Hashable, Sendable {
        package enum Code: String, CaseIterable, Sendable {
            case tooMany = "redirect.too-many"
            case loop = "redirect.loop"
            case unfollowable = "redirect.unfollowable"
            case unsupportedScheme = "redirect.unsupported-scheme"
            case insecure = "redirect.insecure"
            case bodyNotReplayable = "redirect.body-not-replayable"
            case leavesOrigin = "redirect.leaves-origin"
            case refused = "redirect.refused"
        }

        package let detail: FailureDetail
        package let code: Code

        package init(_ code: Code, _ detail: FailureDetail = .none) {
            self.code = code
            self.detail = detail
        }

        /// The stable name, such as `redirect.too-many`.
        public var name: String { code.rawValue }
        /// The limit of ``tooMany(limit:)``; `nil` for other kinds.
        public var limit: Int? { detail.number }
        /// The location of ``unfollowable(location:)``, or the scheme of ``unsupportedScheme(_:)``; `nil` for other
        /// kinds.
        public var value: String? { detail.text }

        /// Returns whether a kind matches a pattern: it is the same kind, with the same limit or value if the pattern
        /// has one.
        public static func ~= (pattern: Redirect, redirect: Redirect) -> Bool {
            pattern.code == redirect.code && pattern.detail.matches(redirect.detail)
        }
    }
}

extension HTTPError.Redirect {
    /// The number of redirects, or of pages, exceeded the limit.
    public static let tooMany = Self(.tooMany)

    /// ``tooMany`` for a limit.
    public static func tooMany(limit: Int) -> Self { Self(.tooMany, .number(limit)) }

    /// The next page of a list is one that has been requested before, by a safe method (``HTTPMethod/isSafe``).
    public static let loop = Self(.loop)

    /// The `Location`, or the target of the link, is not a URL.
    public static let unfollowable = Self(.unfollowable)

    /// ``unfollowable`` with its text, which is shown without secrets, and with control characters escaped.
    public static func unfollowable(location: String) -> Self { Self(.unfollowable, .text(location)) }

    /// The new URL's scheme is neither `http` nor `https`.
    public static let unsupportedScheme = Self(.unsupportedScheme)

    /// ``unsupportedScheme`` of a name.
    public static func unsupportedScheme(_ scheme: String) -> Self { Self(.unsupportedScheme, .text(scheme)) }

    /// The redirect, or the link, leads from https to http.
    public static let insecure = Self(.insecure)

    /// The body would have to be sent again, and is not replayable.
    public static let bodyNotReplayable = Self(.bodyNotReplayable)

    /// The redirect leads to another origin, and the request obtains or renews credentials; or the link to a next page
    /// leads to another origin. See ``HTTPClient/Configuration/credentialOrigins``.
    public static let leavesOrigin = Self(.leavesOrigin)

    /// The closure of the policy refused the redirect; see
    /// ``RedirectPolicy/follow(max:allowingInsecure:keepingMethod:where:)``.
    public static let refused = Self(.refused)

    /// Returns this kind with the secrets of a location hidden, and its control characters escaped.
    func redacted(by redaction: Redaction) -> Self {
        guard code == .unfollowable, let value else { return self }
        return .unfollowable(location: redaction.redactingParameters(in: value).printable)
    }
}

extension HTTPError.Redirect: CustomStringConvertible {
    /// A description of the kind, without secrets.
    public var description: String {
        switch code {
        case .tooMany: limit.map { "more than \($0) redirects or pages" } ?? "too many redirects or pages"
        case .loop: "the next page has been requested before"
        case .unfollowable: "led to something that is no URL"
        case .unsupportedScheme: "led to the unsupported scheme\(value.map { " \($0)" } ?? "")"
        case .insecure: "led from https to http"
        case .bodyNotReplayable: "redirected, and the body cannot be sent again"
        case .leavesOrigin: "led to another origin, and the request may not leave its own"
        case .refused: "redirected, and the redirect policy refused it"
        }
    }
}
