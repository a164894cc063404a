/// The values of a group of options: of each option, the value assigned last, or the default.
///
/// An option is declared as a property of the values, with its default. The settings remember which options have been
/// assigned a value, so that others are taken from the settings of a client. Settings are compared by their values
/// alone, so that requests with equal options share connections.
///
/// Copies share their memory: several objects of each request under way hold options, and most requests set none.
@dynamicMemberLookup
struct Settings<Values: Sendable>: Sendable {
    /// An option that has been assigned a value.
    private struct Assignment: Sendable {
        let path: any PartialKeyPath<Values> & Sendable
        /// Copies the option from the first values to the second ones.
        let copy: @Sendable (Values, inout Values) -> Void
    }

    private struct State: Sendable {
        var values: Values
        var assignments: [Assignment] = []

        mutating func add(_ assignment: Assignment) {
            guard !assignments.contains(where: { $0.path == assignment.path }) else { return }
            assignments.append(assignment)
        }
    }

    private var box: Box<State>

    /// Creates settings of which none is set.
    init(_ defaults: Values) {
        box = Box(State(values: defaults))
    }

    /// The value of an option. An assignment sets the option, also if the value is the default.
    subscript<Value>(dynamicMember path: any WritableKeyPath<Values, Value> & Sendable) -> Value {
        get { box.value.values[keyPath: path] }
        set { assign(newValue, to: path) { $1[keyPath: path] = $0[keyPath: path] } }
    }

    /// A group of options, each of which is set for itself.
    subscript<Group: OptionGroup>(dynamicMember path: any WritableKeyPath<Values, Group> & Sendable) -> Group {
        get { box.value.values[keyPath: path] }
        set {
            assign(newValue, to: path) { $1[keyPath: path] = $0[keyPath: path].merging(defaults: $1[keyPath: path]) }
        }
    }

    /// The values of all options.
    var values: Values { box.value.values }

    /// Returns whether an option has been assigned a value.
    func isSet(_ path: PartialKeyPath<Values>) -> Bool {
        box.value.assignments.contains { $0.path == path }
    }

    /// Returns these settings, with the options that are not set taken from others.
    func merging(defaults: Settings) -> Settings {
        if box.value.assignments.isEmpty { return defaults }
        let state = box.value
        var merged = defaults.box.value
        for assignment in state.assignments {
            assignment.copy(state.values, &merged.values)
            merged.add(assignment)
        }
        var settings = self
        settings.box = Box(merged)
        return settings
    }

    private mutating func assign<Value>(
        _ value: Value, to path: any WritableKeyPath<Values, Value> & Sendable,
        copy: @escaping @Sendable (Values, inout Values) -> Void
    ) {
        var state = box.value
        state.values[keyPath: path] = value
        state.add(Assignment(path: path, copy: copy))
        box = Box(state)
    }
}

extension Settings: Equatable where Values: Equatable {
    static func == (left: Settings, right: Settings) -> Bool {
        left.box === right.box || left.box.value.values == right.box.value.values
    }
}

extension Settings: Hashable where Values: Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(box.value.values)
    }
}

/// Options that a client has for all its requests, and that each request sets for itself.
protocol OptionGroup: Sendable {
    /// The options, as properties with their defaults.
    associatedtype Values: Sendable

    /// The settings; those of which none is set are shared by all values of the group.
    var settings: Settings<Values> { get set }
}

extension OptionGroup {
    /// Returns these options, with those that are not set taken from others.
    func merging(defaults: Self) -> Self {
        var merged = self
        merged.settings = settings.merging(defaults: defaults.settings)
        return merged
    }
}

// MARK: Display

extension Mirror {
    /// Creates a mirror of a group of options, which shows their values.
    init<Group: OptionGroup>(options: Group) {
        self.init(options, children: Mirror(reflecting: options.settings.values).children, displayStyle: .struct)
    }
}
