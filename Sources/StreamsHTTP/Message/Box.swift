/// An immutable value on the heap, shared by reference. It reduces large values that are held by many objects, or
/// rarely set, to the size of a pointer.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
