/// An immutable value on the heap, shared by reference. It reduces large values that are held by many objects, or
/// rarely set, to the size of a pointer.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

/// A value that is equal only to itself and its copies, such as a closure.
final class Unique<Value: Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }

    static func == (left: Unique, right: Unique) -> Bool { left === right }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
