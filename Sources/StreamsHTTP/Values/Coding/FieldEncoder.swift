/// An encoder that adds a value's fields to a collector, under a path. It is also the container for a single value.
struct FieldEncoder: Encoder, SingleValueEncodingContainer {
    let collector: FieldCollector
    let path: FieldPath

    var codingPath: [any CodingKey] { path.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedFields(collector: collector, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedFields(collector: collector, path: path)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() {}

    func encode<Value: Encodable>(_ value: Value) throws {
        // Types are compared: a cast would also accept optionals, which have another description.
        switch Value.self {
        case is Bool.Type where collector.style.bools == .digits:
            try append(value as? Bool == true ? 1 : 0)
        case is Bool.Type, is String.Type, is Double.Type, is Float.Type, is Int.Type, is Int8.Type, is Int16.Type,
            is Int32.Type, is Int64.Type, is UInt.Type, is UInt8.Type, is UInt16.Type, is UInt32.Type, is UInt64.Type:
            try append(value)
        default:
            try collector.encode(value, under: path)
        }
    }

    // The containers have functions for integers of 128 bits because the protocols' default ones throw.

    func encode(_ value: Int128) throws { try append(value) }
    func encode(_ value: UInt128) throws { try append(value) }

    private func append(_ value: some Encodable) throws {
        try collector.append("\(value)", under: path, for: value)
    }
}

/// A container for a value with named fields.
private struct KeyedFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let collector: FieldCollector
    let path: FieldPath

    var codingPath: [any CodingKey] { path.codingPath }

    mutating func encodeNil(forKey key: Key) {}

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try collector.encode(value, under: path.appending(key))
    }

    mutating func encode(_ value: Int128, forKey key: Key) throws {
        try collector.encode(value, under: path.appending(key))
    }

    mutating func encode(_ value: UInt128, forKey key: Key) throws {
        try collector.encode(value, under: path.appending(key))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        FieldEncoder(collector: collector, path: path.appending(key)).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        FieldEncoder(collector: collector, path: path.appending(key)).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        FieldEncoder(collector: collector, path: path.appending(NameKey(stringValue: "super")))
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        FieldEncoder(collector: collector, path: path.appending(key))
    }
}

/// A container for the elements of an array.
private struct UnkeyedFields: UnkeyedEncodingContainer {
    let collector: FieldCollector
    let path: FieldPath
    private(set) var count = 0

    init(collector: FieldCollector, path: FieldPath) {
        self.collector = collector
        self.path = path
    }

    var codingPath: [any CodingKey] { path.codingPath }

    private mutating func nextPath() -> FieldPath {
        defer { count += 1 }
        return path.appending(ElementKey(index: count))
    }

    mutating func encodeNil() {
        count += 1
    }

    mutating func encode(_ value: some Encodable) throws {
        try collector.encode(value, under: nextPath())
    }

    mutating func encode(_ value: Int128) throws {
        try collector.encode(value, under: nextPath())
    }

    mutating func encode(_ value: UInt128) throws {
        try collector.encode(value, under: nextPath())
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        FieldEncoder(collector: collector, path: nextPath()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        FieldEncoder(collector: collector, path: nextPath()).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        FieldEncoder(collector: collector, path: nextPath())
    }
}

/// A collector of the fields of one value.
final class FieldCollector {
    let style: QueryEncoder
    private(set) var fields: [HTTPQuery.Item] = []

    init(style: QueryEncoder) {
        self.style = style
    }

    /// Adds the fields of a value.
    func encode(_ value: some Encodable, under path: FieldPath) throws {
        switch value {
        case let date as Date:
            guard let text = try style.dates.text(for: date) else {
                return try value.encode(to: FieldEncoder(collector: self, path: path))
            }
            try append(text, under: path, for: value)
        case let data as Data:
            try append(style.bytes.text(for: data), under: path, for: value)
        case let url as URL:
            try append(url.absoluteString, under: path, for: value)
        case let decimal as Decimal:
            try append("\(decimal)", under: path, for: value)
        case let dictionary as any NamedValues:
            // Dictionaries are unordered. Sorting keeps the query the same in every run.
            for (name, value) in dictionary.sortedByName {
                try encode(value, under: path.appending(DictionaryKey(stringValue: name)))
            }
        default:
            try value.encode(to: FieldEncoder(collector: self, path: path))
        }
    }

    func append(_ text: String, under path: FieldPath, for value: Any) throws {
        let name = path.name(in: style)
        guard !name.isEmpty else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: path.codingPath, debugDescription: "a value without a name is no field"))
        }
        fields.append(HTTPQuery.Item(name, text))
    }
}

/// A dictionary with string keys.
private protocol NamedValues {
    var sortedByName: [(String, any Encodable)] { get }
}

extension Dictionary: NamedValues where Key == String, Value: Encodable {
    fileprivate var sortedByName: [(String, any Encodable)] {
        sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension QueryEncoder.Bytes {
    fileprivate func text(for data: Data) throws -> String {
        switch self {
        case .base64: data.base64EncodedString()
        case .custom(let encode): try encode(data)
        }
    }
}
