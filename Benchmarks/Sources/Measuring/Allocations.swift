import CAllocations

/// What the process's heap tells.
public enum Allocations {
    /// How often memory is asked for while something runs, by any thread.
    public static func count(during body: () -> Void) -> UInt64 {
        allocations_begin_counting()
        body()
        return allocations_end_counting()
    }

    /// How many bytes are in use.
    public static var bytesInUse: UInt64 { allocations_bytes_in_use() }
}
