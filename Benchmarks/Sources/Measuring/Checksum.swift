/// A checksum of all results of a pipeline, so that neither a library nor the compiler can omit one.
///
/// It has memory of its own, because a stored property of a class would add an exclusivity check to each value.
// Safe because pipelines deliver values one at a time, and have ended when it is read.
public struct Checksum: @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<UInt64>

    init() {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    func free() {
        word.deallocate()
    }

    var value: UInt64 { word.pointee }

    /// Adds a value. The order of the values matters.
    @inlinable
    public func add(_ value: Int) {
        let rotated = word.pointee << 5 | word.pointee >> 59
        word.pointee = rotated ^ UInt64(truncatingIfNeeded: value)
    }

    /// Adds a value whose position is undefined: of several threads, or of several subscribers, whose order differs
    /// between libraries.
    @inlinable
    public func addInAnyOrder(_ value: Int) {
        word.pointee &+= UInt64(truncatingIfNeeded: value)
    }

    /// Replaces the checksum by that of one value.
    @inlinable
    public func set(_ value: Int) {
        word.pointee = UInt64(truncatingIfNeeded: value)
    }
}
