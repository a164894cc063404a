/// A value in a place of its own, which all who have it share: what is large, and kept by many or needed by few, takes
/// no more room with each of them than a pointer.
final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}
