#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

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

    /// A pointer's own way of allocating asks for aligned memory on Linux, which takes twice as long.
    @usableFromInline
    static func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer {
        guard alignment <= usualAlignment else { return .allocate(byteCount: size, alignment: alignment) }
        guard let memory = malloc(max(size, 1)) else { preconditionFailure("there is no more memory") }
        return memory
    }

    @usableFromInline
    static func deallocate(_ memory: UnsafeMutableRawPointer, alignment: Int) {
        if alignment <= usualAlignment { free(memory) } else { memory.deallocate() }
    }

    /// All memory is at least so aligned.
    private static var usualAlignment: Int { MemoryLayout<Double>.alignment }
}
