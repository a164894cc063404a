/// A value in memory of its own, for an object that should not know its type.
///
/// An object of a generic class with fields whose layout depends on its parameters has to look that up, slowly, whenever it is
/// made or released by code that is not specialised, and releasing never is. A compartment has the same layout whatever is
/// in it, and empties itself by code that was specialised where it was filled.
@usableFromInline
struct Compartment: ~Copyable {
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let empty: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init<Contents: ~Copyable>(_ contents: consuming Contents) {
        let typed = UnsafeMutablePointer<Contents>.allocate(capacity: 1)
        typed.initialize(to: contents)
        memory = UnsafeMutableRawPointer(typed)
        empty = { memory in
            let typed = memory.assumingMemoryBound(to: Contents.self)
            typed.deinitialize(count: 1)
            typed.deallocate()
        }
    }

    @inlinable
    deinit {
        empty(memory)
    }

    /// Where the value is, for those who know its type.
    @inlinable
    func contents<Contents: ~Copyable>(as type: Contents.Type) -> UnsafeMutablePointer<Contents> {
        memory.assumingMemoryBound(to: Contents.self)
    }
}
