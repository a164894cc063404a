/// A query's parameters: ordered, and a name may repeat.
///
/// ```swift
/// var query: HTTPQuery = ["q": "streams", "page": "2"]
/// let filtered: HTTPQuery = [Filter.term("apple"), Pagination.limit(5), QueryItem("flag", nil)]
/// let encoded = try HTTPQuery(encoding: search)
/// ```
///
/// Names and values are texts as they are meant; they are percent-encoded when a request is made, so that none can
/// change the query's structure.
public struct HTTPQuery: Sendable, Hashable {
    private(set) var items: [QueryItem]

    /// Makes a query without items.
    public init() {
        items = []
    }

    /// Makes a query of items, in their order.
    public init(_ items: some Sequence<QueryItem>) {
        self.items = Array(items)
    }

    /// Makes a query of parameters of any kind, in their order.
    public init(_ parameters: some Sequence<any QueryParameter>) {
        items = parameters.map(\.queryItem)
    }

    /// Makes a query of parameters of one kind, in their order.
    public init<Parameter: QueryParameter>(_ parameters: some Sequence<Parameter>) {
        items = parameters.map(\.queryItem)
    }

    /// Makes a query of names and values, in their order.
    public init(_ pairs: some Sequence<(String, String)>) {
        items = pairs.map { QueryItem($0.0, $0.1) }
    }

    /// Makes a query of names and values, in their order; a name without a value stands alone.
    public init(_ pairs: some Sequence<(String, String?)>) {
        items = pairs.map { QueryItem($0.0, $0.1) }
    }

    /// Makes a query of a dictionary, in the order of its names: a dictionary has none of its own, and a URL that
    /// changes from one run to the next is nothing a cache could find again.
    public init(_ values: [String: String?]) {
        items = values.sorted { $0.key < $1.key }.map { QueryItem($0.key, $0.value) }
    }

    /// The first value under a name. Setting it replaces all items of that name, `nil` removes them.
    public subscript(name: String) -> String? {
        get { items.first { $0.name == name }?.value }
        set {
            guard let newValue else { return remove(name) }
            set(name, newValue)
        }
    }

    /// Every value under a name, in order. Names that stand alone have none.
    public func values(for name: String) -> [String] {
        items.compactMap { $0.name == name ? $0.value : nil }
    }

    /// Whether an item has that name.
    public func contains(_ name: String) -> Bool {
        items.contains { $0.name == name }
    }

    /// Appends an item; those of the same name stay.
    public mutating func add(_ name: String, _ value: String?) {
        items.append(QueryItem(name, value))
    }

    /// Appends a parameter; those of the same name stay.
    public mutating func append(_ parameter: some QueryParameter) {
        items.append(parameter.queryItem)
    }

    /// Appends the items of another query.
    public mutating func append(contentsOf other: HTTPQuery) {
        items.append(contentsOf: other.items)
    }

    /// Replaces every item of that name by one, in the place of the first, or appends it where there is none.
    public mutating func set(_ name: String, _ value: String?) {
        guard !replace(name, with: value) else { return }
        add(name, value)
    }

    /// Replaces every item of that name by one, in the place of the first.
    ///
    /// - Returns: Whether there was one.
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

    /// This query, with `defaults` added for the names that are absent here.
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
    public subscript(position: Int) -> QueryItem { items[position] }
}

extension HTTPQuery: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: any QueryParameter...) {
        self.init(elements)
    }
}

extension HTTPQuery: ExpressibleByDictionaryLiteral {
    /// The pairs in the order in which they are written; a name may repeat, and `nil` lets it stand alone.
    public init(dictionaryLiteral elements: (String, String?)...) {
        self.init(elements)
    }
}

extension HTTPQuery: CustomStringConvertible {
    /// The query as it stands in a URL, without the question mark.
    public var description: String { items.percentEncodedQuery }
}
