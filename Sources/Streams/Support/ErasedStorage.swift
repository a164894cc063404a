/// Storage for a value whose type the surrounding object does not know.
///
/// An object of a generic class looks up the layout of its fields, slowly, when unspecialised code creates or releases
/// it, and releasing is never specialised. This storage has one layout for all types, and is emptied by code that was
/// specialised where it was filled.
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

    /// The address of the value, for code that knows its type.
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
