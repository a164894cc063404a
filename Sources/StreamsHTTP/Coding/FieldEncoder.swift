/// Leads what a value encodes to a sink, under a name.
struct FieldEncoder: Encoder {
    let sink: FieldSink
    let path: FieldPath

    var codingPath: [any CodingKey] { path.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedFields(sink: sink, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedFields(sink: sink, path: path)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleField(sink: sink, path: path)
    }
}

/// The fields of a value with named parts.
private struct KeyedFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let sink: FieldSink
    let path: FieldPath

    var codingPath: [any CodingKey] { path.codingPath }

    mutating func encodeNil(forKey key: Key) {}

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        try sink.encode(value, under: path.appending(key))
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        FieldEncoder(sink: sink, path: path.appending(key)).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        FieldEncoder(sink: sink, path: path.appending(key)).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        FieldEncoder(sink: sink, path: path.appending(NameKey(stringValue: "super")))
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        FieldEncoder(sink: sink, path: path.appending(key))
    }
}

/// The fields of an array.
private struct UnkeyedFields: UnkeyedEncodingContainer {
    let sink: FieldSink
    let path: FieldPath
    private(set) var count = 0

    init(sink: FieldSink, path: FieldPath) {
        self.sink = sink
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
        try sink.encode(value, under: nextPath())
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        FieldEncoder(sink: sink, path: nextPath()).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        FieldEncoder(sink: sink, path: nextPath()).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder {
        FieldEncoder(sink: sink, path: nextPath())
    }
}

/// The field of a value without parts.
private struct SingleField: SingleValueEncodingContainer {
    let sink: FieldSink
    let path: FieldPath

    var codingPath: [any CodingKey] { path.codingPath }

    private func append(_ value: some CustomStringConvertible) throws {
        try sink.append(value.description, under: path, for: value)
    }

    mutating func encodeNil() {}

    mutating func encode(_ value: Bool) throws {
        switch sink.style.bools {
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
        try sink.encode(value, under: path)
    }
}
