/// What stands for one parameter of a URL's query.
///
/// ```swift
/// enum Pagination: QueryParameter {
///     case offset(Int), limit(Int)
///     var queryItem: QueryItem {
///         switch self {
///         case .offset(let count): QueryItem("offset", "\(count)")
///         case .limit(let count): QueryItem("limit", "\(count)")
///         }
///     }
/// }
/// ```
public protocol QueryParameter {
    /// The name and value that it comes to.
    var queryItem: QueryItem { get }
}

/// One parameter of a URL's query.
public struct QueryItem: Hashable, Sendable {
    /// The name, as it is meant.
    public var name: String
    /// The value; `nil` for a name that stands alone, without `=`.
    public var value: String?

    /// - Parameters:
    ///   - name: The name, as it is meant; it is percent-encoded when the request is made.
    ///   - value: The value, likewise; `nil` for a name that stands alone.
    public init(_ name: String, _ value: String?) {
        self.name = name
        self.value = value
    }
}

extension QueryItem: QueryParameter {
    public var queryItem: QueryItem { self }
}

extension Sequence<QueryItem> {
    /// The items as a query: everything but RFC 3986's unreserved characters is percent-encoded, so that a name or
    /// value cannot change the query's structure.
    var percentEncodedQuery: String {
        var text = ""
        var isFirst = true
        for item in self {
            if !isFirst { text += "&" }
            isFirst = false
            text += item.name.percentEncoded
            guard let value = item.value else { continue }
            text += "="
            text += value.percentEncoded
        }
        return text
    }
}
