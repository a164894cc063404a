/// Where a value is within the value that is encoded.
struct FieldPath {
    private(set) var codingPath: [any CodingKey] = []

    func appending(_ key: some CodingKey) -> FieldPath {
        var path = self
        path.codingPath.append(key)
        return path
    }

    /// The path as a field's name; empty where nothing names it.
    func name(in style: QueryEncoder) -> String {
        var name = ""
        for key in codingPath {
            if let element = key as? ElementKey {
                switch style.arrays {
                case .repeated: break
                case .brackets: name += "[]"
                case .indices: append("\(element.index)", to: &name, style)
                }
            } else if key is DictionaryKey {
                append(key.stringValue, to: &name, style)
            } else {
                append(style.keys.encoded(key.stringValue), to: &name, style)
            }
        }
        return name
    }

    private func append(_ part: String, to name: inout String, _ style: QueryEncoder) {
        guard !name.isEmpty else {
            name = part
            return
        }
        switch style.nesting {
        case .brackets: name += "[\(part)]"
        case .dots: name += ".\(part)"
        }
    }
}

/// The place of an array's element.
struct ElementKey: CodingKey {
    let index: Int

    var stringValue: String { "\(index)" }
    var intValue: Int? { index }

    init(index: Int) {
        self.index = index
    }

    init?(stringValue: String) {
        nil
    }

    init?(intValue: Int) {
        index = intValue
    }
}

/// A dictionary's key: content that is left as it is, where a property's name may be converted.
struct DictionaryKey: CodingKey {
    let stringValue: String

    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

/// A name that no type declares.
struct NameKey: CodingKey {
    let stringValue: String

    var intValue: Int? { nil }

    init(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
