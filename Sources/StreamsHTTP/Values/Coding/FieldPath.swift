/// The path of a value within the encoded value.
struct FieldPath {
    private(set) var codingPath: [any CodingKey] = []

    func appending(_ key: some CodingKey) -> FieldPath {
        var path = self
        path.codingPath.append(key)
        return path
    }

    /// Returns the path as a field's name; empty if no key names the value.
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

/// The index of an element in an array.
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

/// A key of a dictionary. Unlike a property's name, it is never converted.
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

/// A coding key with any name.
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
