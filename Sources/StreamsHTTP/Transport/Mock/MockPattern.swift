/// Which URLs a route is for: a path, or a whole URL.
///
/// A segment `*` stands for any one segment, and `**` at the end for any number of them. A query, where the pattern has
/// one, must be the request's own; otherwise it plays no part.
struct MockPattern: Hashable, Sendable {
    /// As `URL.origin` has it, so with the port; `nil` for any.
    private let origin: String?
    private let segments: [Substring]
    private let query: Substring?

    init(_ text: String) {
        var rest = text[...]
        if let query = rest.firstIndex(of: "?") {
            self.query = rest[rest.index(after: query)...]
            rest = rest[..<query]
        } else {
            query = nil
        }
        if let scheme = rest.firstRange(of: "://") {
            let end = rest[scheme.upperBound...].firstIndex(of: "/") ?? rest.endIndex
            // What is no URL is no request's either.
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

    private static func segments(of path: Substring) -> [Substring] {
        path.split(separator: "/")
    }
}
