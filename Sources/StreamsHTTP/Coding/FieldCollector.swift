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
