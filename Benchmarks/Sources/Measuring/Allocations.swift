import CAllocations

/// Measurements of the process's heap.
public enum Allocations {
    /// Returns the number of allocations of all threads while a closure runs.
    public static func count(during body: () -> Void) -> UInt64 {
        allocations_begin_counting()
        body()
        return allocations_end_counting()
    }

    /// The number of bytes in use.
    public static var bytesInUse: UInt64 { allocations_bytes_in_use() }
}
