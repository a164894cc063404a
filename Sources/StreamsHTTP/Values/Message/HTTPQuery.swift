/// The parameters of a query, in order. A name may repeat.
///
/// ```swift
/// var query: HTTPQuery = ["q": "streams", "page": "2"]
/// let filtered: HTTPQuery = [Filter.term("apple"), Pagination.limit(5), HTTPQuery.Item("flag", nil)]
/// let encoded = try HTTPQuery(encoding: search)
/// ```
///
/// Names and values are not encoded. They are percent-encoded when a request is made, so that none can change the
/// query's structure.
public struct HTTPQuery: Sendable, Hashable {
    private(set) var items: [Item]

    /// Creates a query without items.
    public init() {
        items = []
    }

    /// Creates a query from items, in their order.
    public init(_ items: some Sequence<Item>) {
        self.items = Array(items)
    }

    /// Creates a query from parameters of any kind, in their order.
    public init(_ parameters: some Sequence<any Parameter>) {
        items = parameters.map(\.queryItem)
    }

    /// Creates a query from parameters of one kind, in their order.
    public init(_ parameters: some Sequence<some Parameter>) {
        items = parameters.map(\.queryItem)
    }

    /// Creates a query from names and values, in their order.
    public init(_ pairs: some Sequence<(String, String)>) {
        items = pairs.map { Item($0.0, $0.1) }
    }

    /// Creates a query from names and values, in their order. A name whose value is `nil` is added alone.
    public init(_ pairs: some Sequence<(String, String?)>) {
        items = pairs.map { Item($0.0, $0.1) }
    }

    /// Creates a query from a dictionary, sorted by name. Without an order, the URL would differ between runs, and
    /// caches would miss it.
    public init(_ values: [String: String?]) {
        items = values.sorted { $0.key < $1.key }.map { Item($0.key, $0.value) }
    }

    /// The value of the first item of that name. Setting it replaces all items of that name; `nil` removes them.
    public subscript(name: String) -> String? {
        get { items.first { $0.name == name }?.value }
        set {
            guard let newValue else { return remove(name) }
            set(name, newValue)
        }
    }

    /// Returns the values of all items of that name, in order. Items without a value are omitted.
    public func values(for name: String) -> [String] {
        items.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Returns whether an item has that name.
    public func contains(_ name: String) -> Bool {
        items.contains { $0.name == name }
    }

    /// Appends an item, and keeps those of the same name.
    public mutating func add(_ name: String, _ value: String?) {
        items.append(Item(name, value))
    }

    /// Appends a parameter, and keeps those of the same name.
    public mutating func append(_ parameter: some Parameter) {
        items.append(parameter.queryItem)
    }

    /// Appends the items of another query.
    public mutating func append(contentsOf other: HTTPQuery) {
        items.append(contentsOf: other.items)
    }

    /// Replaces every item of that name by one, at the position of the first, or appends it if there is none.
    public mutating func set(_ name: String, _ value: String?) {
        guard !replace(name, with: value) else { return }
        add(name, value)
    }

    /// Replaces every item of that name by one, at the position of the first.
    ///
    /// - Returns: Whether there was an item of that name.
    @discardableResult
    public mutating func replace(_ name: String, with value: String?) -> Bool {
        guard let place = items.firstIndex(where: { $0.name == name }) else { return false }
        items[place].value = value
        let rest = items.index(after: place)
        items[rest...].removeAll { $0.name == name }
        return true
    }

    /// Removes every item of that name.
    public mutating func remove(_ name: String) {
        items.removeAll { $0.name == name }
    }

    /// Returns this query with the items of `defaults` whose names it lacks.
    public func merging(defaults: HTTPQuery) -> HTTPQuery {
        guard !defaults.isEmpty else { return self }
        var merged = self
        merged.items.append(contentsOf: defaults.items.filter { !contains($0.name) })
        return merged
    }
}

extension HTTPQuery: RandomAccessCollection {
    public var startIndex: Int { items.startIndex }
    public var endIndex: Int { items.endIndex }
    public subscript(position: Int) -> Item { items[position] }
}

extension HTTPQuery: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: any Parameter...) {
        self.init(elements)
    }
}

extension HTTPQuery: ExpressibleByDictionaryLiteral {
    /// Creates a query from pairs, in the order of the literal. A name may repeat, and `nil` adds it alone.
    public init(dictionaryLiteral elements: (String, String?)...) {
        self.init(elements)
    }
}

extension HTTPQuery: CustomStringConvertible, CustomReflectable {
    /// The query as it appears in a URL, without the question mark, and with secret values hidden.
    public var description: String { String(Redaction.usual.redactingParameters(in: "?\(percentEncoded)").dropFirst()) }

    /// The items, with secret values hidden.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: items, displayStyle: .collection) }

    /// The query as it appears in a URL, without the question mark.
    public var percentEncoded: String { String(maxCount: maxEncodedCount) { $0.append(self) } }

    /// The size of the query in a URL if every character is percent-encoded.
    var maxEncodedCount: Int {
        items.reduce(0) { $0 + 3 * ($1.name.utf8.count + ($1.value?.utf8.count ?? 0)) + 2 }
    }
}

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
