/// A number made of all that came out of a pipeline, so that nothing of it can be left out, by a library or by the
/// compiler.
///
/// It lies in memory of its own: a variable of a class would add a check to each value.
// Safe because pipelines deliver values one at a time, and are over when it is read.
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

    /// Takes in a value. The order counts.
    @inlinable
    public func add(_ value: Int) {
        let rotated = word.pointee << 5 | word.pointee >> 59
        word.pointee = rotated ^ UInt64(truncatingIfNeeded: value)
    }

    /// Takes in a value whose place is left to chance: of several threads, or of several subscribers, whom not every
    /// library serves in the same order.
    @inlinable
    public func addInAnyOrder(_ value: Int) {
        word.pointee &+= UInt64(truncatingIfNeeded: value)
    }

    /// Takes in a value, and forgets those before.
    @inlinable
    public func set(_ value: Int) {
        word.pointee = UInt64(truncatingIfNeeded: value)
    }
}
