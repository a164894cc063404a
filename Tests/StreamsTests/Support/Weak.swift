/// A weak reference to an object.
struct Weak<Object: AnyObject> {
    weak var object: Object?
}
