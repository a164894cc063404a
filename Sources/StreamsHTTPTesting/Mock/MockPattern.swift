import StreamsHTTP

/// A pattern of URLs: a path, or a whole URL.
///
/// A segment `*` stands for any one segment, and `**` at the end for any number of segments. A request's query counts
/// only if the pattern has a query, which it must then equal.
struct MockPattern: Hashable, Sendable {
    /// The scheme, host and port, as `URL.origin` has them; `nil` for any.
    private let origin: String?
    private let segments: [Substring]
    private let query: Substring?

    init(_ text: String) {
        var rest = text.withHTTPScheme[...]
        if let query = rest.firstIndex(of: "?") {
            self.query = rest[rest.index(after: query)...]
            rest = rest[..<query]
        } else {
            query = nil
        }
        if let scheme = rest.firstRange(of: "://") {
            let end = rest[scheme.upperBound...].firstIndex(of: "/") ?? rest.endIndex
            // No request has an empty origin, so an invalid URL matches none.
            origin = URL(string: String(rest[..<end]))?.origin ?? ""
            rest = rest[end...]
        } else {
            origin = nil
        }
        segments = Self.segments(of: rest)
    }

    func matches(_ url: URL) -> Bool {
        if let origin, origin != url.origin { return false }
        if let query, url.query(percentEncoded: true) ?? "" != query { return false }
        let path = Self.segments(of: url.path(percentEncoded: true)[...])
        let fixed = segments.last == "**" ? segments.dropLast() : segments[...]
        guard path.count == fixed.count || path.count > fixed.count && fixed.count < segments.count else {
            return false
        }
        return zip(fixed, path).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// The specificity among the patterns that match the same URL: of the origin, of each path segment and of the end of
    /// the path. The pattern that is greater in lexicographic order is the more specific one.
    var pathSpecificity: [Int] {
        let ranks = segments.map { $0 == "**" ? 0 : $0 == "*" ? 2 : 3 }
        return [origin == nil ? 0 : 1] + ranks + (segments.last == "**" ? [] : [1])
    }

    /// Whether the pattern has a query.
    var hasQuery: Bool { query != nil }

    private static func segments(of path: Substring) -> [Substring] {
        path.split(separator: "/")
    }
}
