/// Resolves the targets of requests and the locations of redirects to absolute URLs.
///
/// The base URL is split and checked once; each request then takes one pass over its own target and one over the
/// text of its URL.
struct URLResolver: Sendable {
    /// An absolute http or https URL with a host, and without user information.
    struct Target: Sendable {
        let url: LazyURL
        /// Whether the target is below the base URL, and so has its origin.
        var isRelative = false
        /// The `Authorization` that the URL's user information stands for (RFC 7617); `nil` without any.
        let authorization: String?
    }

    private struct Base: Sendable {
        let reference: URLReference
        let authorization: String?
    }

    /// The base URL, or the error of every request that needs it; `nil` without a base URL. Boxed, because clients are
    /// copied often.
    private let base: Box<Result<Base, HTTPError.Reason>>?

    init(baseURL: URL?) {
        base = baseURL.map { url in
            Box(
                Result { () throws(HTTPError.Reason) -> Base in
                    do throws(HTTPError.Reason) {
                        let target = try Self.target(URLReference(url.absoluteString))
                        return Base(reference: URLReference(target.url.text), authorization: target.authorization)
                    } catch {
                        guard case .invalidRequest(.malformedURL) = error else { throw error }
                        throw .invalidRequest(.malformedBaseURL(url.absoluteString.withoutUserInformation))
                    }
                })
        }
    }

    /// Resolves a request's target. A relative target is appended to the base URL; an absolute URL replaces it.
    ///
    /// - Parameters:
    ///   - request: The request, whose query is added to the target's.
    ///   - defaultQuery: Items that are added to a relative target's query, unless there are items of their names.
    ///   - keepsDotSegments: Whether the target's segments `.` and `..` remain.
    func target(
        of request: borrowing HTTPRequest, defaultQuery: HTTPQuery = [], keepsDotSegments: Bool = false
    ) throws(HTTPError.Reason) -> Target {
        let target = request.target
        let reference = URLReference(target)
        guard reference.isEncoded && (reference.authority == nil || reference.hasPlainAuthority) || target.isPrintable
        else { throw .invalidRequest(.malformedURL(target.withoutUserInformation)) }
        guard reference.scheme == nil else {
            return try Self.target(reference, adding: request.query, keepsDotSegments: keepsDotSegments)
        }
        guard reference.authority == nil else { throw .invalidRequest(.malformedURL(target.withoutUserInformation)) }
        guard let base else { throw .invalidRequest(.missingBaseURL(target.withoutUserInformation)) }
        let known = try base.value.get()
        var query = request.query
        if !defaultQuery.isEmpty {
            query = query.merging(defaults: HTTPQuery(defaultQuery.filter { !reference.hasQueryItem(named: $0.name) }))
        }
        var text = Self.append(reference, to: known.reference, query)
        if reference.hasDotSegments, !keepsDotSegments { text = URLReference(text).removingDotSegments }
        return Target(url: LazyURL(text), isRelative: true, authorization: known.authorization)
    }

    /// Resolves a redirect's location against the base URL (RFC 3986, section 5.2).
    func target(ofLocation location: String) throws(HTTPError.Reason) -> Target {
        let reference = URLReference(location)
        guard let base else { return try Self.target(reference) }
        return try Self.target(URLReference(base.value.get().reference.resolving(reference)))
    }

    /// Checks an absolute URL.
    static func target(of url: URL, keepsDotSegments: Bool = false) throws(HTTPError.Reason) -> Target {
        try target(URLReference(url.absoluteString), keepsDotSegments: keepsDotSegments)
    }

    private static func target(
        _ reference: URLReference, adding query: HTTPQuery = [], keepsDotSegments: Bool = false
    ) throws(HTTPError.Reason) -> Target {
        let text = reference.text
        guard let scheme = reference.scheme, let authority = reference.authority, reference.isHTTP else {
            throw .invalidRequest(reference.unsupportedScheme ?? .malformedURL(text.withoutUserInformation))
        }
        let removesDotSegments = !keepsDotSegments && reference.hasDotSegments
        guard !reference.hasPlainAuthority || !reference.isEncoded || !query.isEmpty || removesDotSegments else {
            return Target(url: LazyURL(text), authorization: nil)
        }
        var origin = reference[0..<authority.upperBound]
        var authorization: String?
        if !reference.hasPlainAuthority {
            guard let checked = try URLAuthority(reference[authority]) else {
                throw .invalidRequest(.malformedURL(text.withoutUserInformation))
            }
            origin = reference[scheme] + "://" + checked.hostAndPort
            authorization = checked.authorization
        }
        var url = compose(origin, reference, queryOf: reference, adding: query, fragmentOf: reference)
        if removesDotSegments { url = URLReference(url).removingDotSegments }
        return Target(url: LazyURL(url), authorization: authorization)
    }

    private static func append(_ target: URLReference, to base: URLReference, _ query: HTTPQuery) -> String {
        let path = base.path.range
        var end = path.upperBound
        if !target.path.range.isEmpty {
            let slash = UInt8(ascii: "/")
            base.text.utf8.withContiguousBytes { while end > path.lowerBound, $0[end - 1] == slash { end -= 1 } }
        }
        let keepsQuery = target.query == nil && query.isEmpty
        return compose(base[0..<end], target, queryOf: keepsQuery ? base : target, adding: query, fragmentOf: base)
    }

    /// Writes a URL: its beginning, a path, a query with items added, and a fragment. Components that are not legal as
    /// they are become percent-encoded.
    private static func compose(
        _ start: Substring, _ path: URLReference, queryOf query: URLReference, adding items: HTTPQuery,
        fragmentOf fragment: URLReference
    ) -> String {
        var maxCount = start.utf8.count + items.maxEncodedCount + 4
        for component in [path.path, query.query, fragment.fragment] {
            guard let component else { continue }
            maxCount += component.isEncoded ? component.range.count : component.range.count * 3
        }
        return String(maxCount: maxCount) { text in
            text.append(start)
            let addition = path[path.path.range]
            if let first = addition.utf8.first, first != UInt8(ascii: "/") { text.append(UInt8(ascii: "/")) }
            text.append(addition, of: path.path, allowed: .path)
            if let component = query.query {
                text.append(UInt8(ascii: "?"))
                text.append(query[component.range], of: component, allowed: .query)
            }
            if !items.isEmpty {
                text.append(query.query == nil ? UInt8(ascii: "?") : UInt8(ascii: "&"))
                text.append(items)
            }
            if let component = fragment.fragment {
                text.append(UInt8(ascii: "#"))
                text.append(fragment[component.range], of: component, allowed: .query)
            }
        }
    }
}

extension URLReference {
    /// The error for a scheme that is no http; `nil` if this may not be a scheme at all, but the name or the key before
    /// a password.
    fileprivate var unsupportedScheme: HTTPError.InvalidRequest? {
        guard let scheme, !isHTTP, !(authority ?? 0..<0).isEmpty || !text.utf8.contains(UInt8(ascii: "@")) else {
            return nil
        }
        let name = self[scheme]
        let isScheme = name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }
        return isScheme && (name.first?.isLetter ?? false) ? .unsupportedScheme(name.lowercased()) : nil
    }

    /// The text without the segments `.` and `..` of the path, which begins with a slash (RFC 3986, section 5.2.4).
    fileprivate var removingDotSegments: String {
        replacing(path: self[path.range].removingDotSegments)
    }

    /// Returns the URL that a reference leads to from this one (RFC 3986, section 5.2.2).
    fileprivate func resolving(_ reference: URLReference) -> String {
        let (own, other) = (self[path.range], reference[reference.path.range])
        let rest = reference[reference.path.range.upperBound..<reference.text.utf8.count]
        if let authority = reference.authority {
            let scheme = reference.scheme == nil ? self[0..<(self.authority?.lowerBound ?? 2) - 2] : ""
            let path = other.isEmpty ? "" : other.removingDotSegments
            return "\(scheme)\(reference[0..<authority.upperBound])\(path)\(rest)"
        }
        guard reference.scheme == nil else { return reference.text }
        let origin = self[0..<path.range.lowerBound]
        guard !other.isEmpty else {
            let query = reference.query == nil ? query.map { "?\(self[$0.range])" } ?? "" : ""
            return "\(origin)\(own)\(query)\(rest)"
        }
        let slash = UInt8(ascii: "/")
        let folder = Substring(own.utf8[..<(own.utf8.lastIndex(of: slash) ?? own.startIndex)])
        let path = other.utf8.first == slash ? other : "\(folder)/\(other)"
        return "\(origin)\(path.removingDotSegments)\(rest)"
    }
}

extension Substring {
    /// This path, which begins with a slash, without its segments `.` and `..` (RFC 3986, section 5.2.4).
    fileprivate var removingDotSegments: String {
        var kept: [Substring] = []
        let segments = utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
        for segment in segments.dropFirst() {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}

extension String {
    /// Whether this has no control characters and no spaces.
    var isPrintable: Bool { utf8.allAre { $0 > 0x20 && $0 != 0x7F } }
}

extension ByteWriter {
    fileprivate mutating func append(
        _ text: Substring, of component: URLReference.Component, allowed: ASCIISet
    ) {
        if component.isEncoded { append(text) } else { append(text, encodingAllBut: allowed) }
    }

    /// Appends query items. Everything but RFC 3986's unreserved characters is percent-encoded, so that a name or a
    /// value cannot change the query's structure.
    mutating func append(_ items: HTTPQuery) {
        let unreserved = ASCIISet.unreserved
        var isFirst = true
        for item in items.items {
            if !isFirst { append(UInt8(ascii: "&")) }
            isFirst = false
            append(item.name, encoding: { !unreserved.contains($0) })
            guard let value = item.value else { continue }
            append(UInt8(ascii: "="))
            append(value, encoding: { !unreserved.contains($0) })
        }
    }
}
