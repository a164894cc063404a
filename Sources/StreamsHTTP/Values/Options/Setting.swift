/// The value of an option: its default until one is assigned, which may be equal to the default.
///
/// Settings are compared by their values alone, so that equal options share connections.
struct Setting<Value: Sendable>: Sendable {
    /// Whether a value has been assigned.
    private(set) var isSet = false
    /// The value assigned last, or the default.
    var value: Value {
        didSet { isSet = true }
    }

    /// Creates a setting that is not set.
    init(_ defaultValue: Value) {
        value = defaultValue
    }

    /// Returns this setting if it is set, and another one if not.
    func or(_ other: Setting) -> Setting { isSet ? self : other }
}

extension Setting: Equatable where Value: Equatable {
    static func == (left: Setting, right: Setting) -> Bool { left.value == right.value }
}

extension Setting: Hashable where Value: Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}

// MARK: Display

extension Mirror {
    /// Creates a mirror of a value whose properties are settings.
    ///
    /// - Parameters:
    ///   - subject: The value.
    ///   - fields: The structure that contains the settings.
    init<Subject>(_ subject: Subject, settings fields: Any) {
        let children = Mirror(reflecting: fields).children.map { child in
            // Of a setting, only the value is shown.
            (label: child.label, value: Mirror(reflecting: child.value).descendant("value") ?? child.value)
        }
        self.init(subject, children: children, displayStyle: .struct)
    }
}
