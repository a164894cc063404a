/// A value in memory of its own, for an object that should not know its type.
///
/// An object of a generic class with fields whose layout depends on its parameters has to look that up, slowly,
/// whenever it is made or released by code that is not specialised, and releasing never is. A storage has the same
/// layout whatever is in it, and empties itself by code that was specialised where it was filled.
@usableFromInline
struct ErasedStorage: ~Copyable {
    @usableFromInline let memory: UnsafeMutableRawPointer
    @usableFromInline let empty: (UnsafeMutableRawPointer) -> Void

    @inlinable
    init<Contents: ~Copyable>(_ contents: consuming Contents) {
        memory = Self.allocate(MemoryLayout<Contents>.size, alignment: MemoryLayout<Contents>.alignment)
        memory.bindMemory(to: Contents.self, capacity: 1).initialize(to: contents)
        empty = { memory in
            memory.assumingMemoryBound(to: Contents.self).deinitialize(count: 1)
            Self.deallocate(memory, alignment: MemoryLayout<Contents>.alignment)
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

    /// Allocates memory for a value, by the faster way where its alignment permits.
    @usableFromInline
    static func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer {
        alignment <= mallocAlignment ? allocateMemory(size) : .allocate(byteCount: size, alignment: alignment)
    }

    @usableFromInline
    static func deallocate(_ memory: UnsafeMutableRawPointer, alignment: Int) {
        if alignment <= mallocAlignment { freeMemory(memory) } else { memory.deallocate() }
    }
}
