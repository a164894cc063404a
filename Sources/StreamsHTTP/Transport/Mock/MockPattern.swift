/// Which URLs a route is for: a path, or a whole URL.
///
/// A segment `*` stands for any one segment, and `**` at the end for any number of them. A query, where the pattern has
/// one, must be the request's own; otherwise it plays no part.
struct MockPattern: Hashable, Sendable {
    /// Scheme, host and port; `nil` for any.
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
            origin = rest[..<end].lowercased()
            rest = rest[end...]
        } else {
            origin = nil
        }
        segments = Self.segments(of: rest)
    }

    func matches(_ url: URL) -> Bool {
        if let origin, origin != Self.origin(of: url) { return false }
        if let query, url.query(percentEncoded: true) ?? "" != query { return false }
        let path = Self.segments(of: url.path(percentEncoded: true)[...])
        let fixed = segments.last == "**" ? segments.dropLast() : segments[...]
        guard path.count == fixed.count || path.count > fixed.count && fixed.count < segments.count else {
            return false
        }
        return zip(fixed, path).allSatisfy { $0 == "*" || $0 == $1 }
    }

    private static func origin(of url: URL) -> String {
        let port = url.port.map { ":\($0)" } ?? ""
        return "\(url.scheme ?? "")://\(url.host() ?? "")\(port)".lowercased()
    }

    private static func segments(of path: Substring) -> [Substring] {
        path.split(separator: "/")
    }
}
