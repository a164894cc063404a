extension HTTPQuery {
    /// A type that represents one parameter of a URL's query.
    ///
    /// ```swift
    /// enum Pagination: HTTPQuery.Parameter {
    ///     case offset(Int), limit(Int)
    ///     var queryItem: HTTPQuery.Item {
    ///         switch self {
    ///         case .offset(let count): HTTPQuery.Item("offset", "\(count)")
    ///         case .limit(let count): HTTPQuery.Item("limit", "\(count)")
    ///         }
    ///     }
    /// }
    /// ```
    public protocol Parameter {
        /// The name and value of the parameter.
        var queryItem: HTTPQuery.Item { get }
    }
}

extension HTTPQuery {
    /// One parameter of a URL's query.
    public struct Item: Hashable, Sendable {
        /// The name, before percent-encoding.
        public var name: String
        /// The value, before percent-encoding; `nil` for a name without `=`.
        public var value: String?

        /// Creates a query item.
        ///
        /// - Parameters:
        ///   - name: The name. It is percent-encoded in the URL.
        ///   - value: The value, also percent-encoded; `nil` for a name without `=`.
        public init(_ name: String, _ value: String?) {
            self.name = name
            self.value = value
        }
    }
}

extension HTTPQuery.Item: CustomStringConvertible, CustomReflectable {
    /// The name and the value, which is hidden if it is secret.
    public var description: String { shownValue.map { "\(name)=\($0)" } ?? name }

    /// The properties, with a secret value hidden.
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "value": shownValue as Any]) }

    private var shownValue: String? {
        value.map { Redaction.usual.isSecret(parameter: name[...]) ? Redaction.mark : $0 }
    }
}

extension HTTPQuery.Item: HTTPQuery.Parameter {
    public var queryItem: HTTPQuery.Item { self }
}
