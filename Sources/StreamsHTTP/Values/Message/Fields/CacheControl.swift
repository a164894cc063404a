/// The directives of the `Cache-Control` fields of a request or a response (RFC 9111, section 5.2; RFC 5861; RFC 8246).
/// Names are case-insensitive, and unknown directives are ignored, as are those for shared caches alone.
struct CacheControl: Hashable, Sendable {
    /// The argument of `max-stale`.
    enum MaxStale: Hashable, Sendable {
        /// Any staleness is accepted.
        case any
        case limit(Duration)
    }

    /// `max-age`. Zero if it is malformed, or if there are several ones that differ (section 4.2.1).
    private(set) var maxAge: Duration?
    /// `max-stale` of a request; `nil` if it is malformed.
    private(set) var maxStale: MaxStale?
    /// `min-fresh` of a request; `nil` if it is malformed.
    private(set) var minFresh: Duration?
    /// `stale-while-revalidate` of a response; `nil` if it is malformed.
    private(set) var staleWhileRevalidate: Duration?
    /// `stale-if-error`; `nil` if it is malformed.
    private(set) var staleIfError: Duration?
    /// `no-cache` without field names.
    private(set) var isNoCache = false
    /// The field names of `no-cache="..."`, in lowercase: fields that may not be used again without a validation.
    private(set) var noCacheFields: Set<String> = []
    /// `no-store`.
    private(set) var isNoStore = false
    /// `must-revalidate`.
    private(set) var mustRevalidate = false
    /// `must-understand`.
    private(set) var mustUnderstand = false
    /// `immutable` (RFC 8246).
    private(set) var isImmutable = false
    /// `public`.
    private(set) var isPublic = false
    /// `only-if-cached` of a request.
    private(set) var isOnlyIfCached = false

    /// Creates the directives of a response.
    init(response headers: HTTPHeaders) {
        for directive in FieldMember.list(in: headers.values(for: "Cache-Control")) { apply(directive) }
    }

    /// Creates the directives of a request. `Pragma: no-cache` counts as `no-cache` if there is no `Cache-Control`
    /// (section 5.4).
    init(request headers: HTTPHeaders) {
        self.init(response: headers)
        guard !headers.contains("Cache-Control") else { return }
        isNoCache = FieldMember.list(in: headers.values(for: "Pragma")).contains { $0.name == "no-cache" }
    }

    private mutating func apply(_ directive: FieldMember) {
        let value = directive.value
        let seconds = value.flatMap { Duration(wholeSeconds: $0) }
        switch directive.name {
        case "max-age":
            // A number that contradicts another one makes a response stale, as a malformed one does.
            let age = seconds ?? .zero
            maxAge = maxAge == nil || maxAge == age ? age : .zero
        case "max-stale": maxStale = value == nil ? .any : seconds.map { .limit($0) }
        case "min-fresh": minFresh = seconds
        case "stale-while-revalidate": staleWhileRevalidate = seconds
        case "stale-if-error": staleIfError = seconds
        case "no-cache": applyNoCache(value)
        case "no-store": isNoStore = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "immutable": isImmutable = true
        case "public": isPublic = true
        case "only-if-cached": isOnlyIfCached = true
        default: break
        }
    }

    private mutating func applyNoCache(_ names: String?) {
        let names = names?.split(separator: ",").map { String(String($0).trimmingOptionalWhitespace) } ?? []
        // Without names, or with others than those of fields, the whole response needs a validation.
        guard !names.isEmpty, names.allSatisfy(\.isToken) else { return isNoCache = true }
        noCacheFields.formUnion(names.map { $0.lowercased() })
    }
}

extension Duration {
    /// The longest time in seconds of RFC 9111, section 1.2.2.
    private static let maxWholeSeconds: Int64 = 1 << 31

    /// Creates a duration from a number of seconds of RFC 9111, section 1.2.2: digits alone. A number above 2^31 is
    /// 2^31.
    init?(wholeSeconds value: some StringProtocol) {
        guard value.isDecimal else { return nil }
        self = .seconds(min(Int64(value) ?? .max, Self.maxWholeSeconds))
    }
}
