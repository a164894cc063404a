/// An encoder that adds a value's fields to a collector, under a path.
struct FieldEncoder: Encoder {
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

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleField(collector: collector, path: path)
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

/// A container for a single value.
private struct SingleField: SingleValueEncodingContainer {
    let collector: FieldCollector
    let path: FieldPath

    var codingPath: [any CodingKey] { path.codingPath }

    private func append(_ value: some CustomStringConvertible) throws {
        try collector.append(value.description, under: path, for: value)
    }

    mutating func encodeNil() {}

    mutating func encode(_ value: Bool) throws {
        switch collector.style.bools {
        case .words: try append(value)
        case .digits: try append(value ? 1 : 0)
        }
    }

    mutating func encode(_ value: String) throws { try append(value) }
    mutating func encode(_ value: Double) throws { try append(value) }
    mutating func encode(_ value: Float) throws { try append(value) }
    mutating func encode(_ value: Int) throws { try append(value) }
    mutating func encode(_ value: Int8) throws { try append(value) }
    mutating func encode(_ value: Int16) throws { try append(value) }
    mutating func encode(_ value: Int32) throws { try append(value) }
    mutating func encode(_ value: Int64) throws { try append(value) }
    mutating func encode(_ value: UInt) throws { try append(value) }
    mutating func encode(_ value: UInt8) throws { try append(value) }
    mutating func encode(_ value: UInt16) throws { try append(value) }
    mutating func encode(_ value: UInt32) throws { try append(value) }
    mutating func encode(_ value: UInt64) throws { try append(value) }

    mutating func encode(_ value: some Encodable) throws {
        try collector.encode(value, under: path)
    }
}
