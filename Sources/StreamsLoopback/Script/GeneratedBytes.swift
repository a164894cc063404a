/// The content of generated bodies: a fixed, irregular sequence of bytes. With it, a test can verify gibibytes without
/// storing them.
///
/// The sequence repeats after 65,521 bytes. That is a prime, so that lost, duplicate or swapped buffers of the usual
/// sizes are detected. The loss of exactly one period is detected by the length.
public enum GeneratedBytes {
    /// Returns the byte at an offset of the sequence.
    public static func byte(at offset: Int) -> UInt8 {
        table[offset % period]
    }

    /// Returns a range of the sequence.
    public static func bytes(_ range: Range<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let part = stretch(at: offset, atMost: range.upperBound - offset)
            bytes.append(contentsOf: part)
            offset += part.count
        }
        return bytes
    }

    /// Returns whether bytes are equal to the sequence at an offset.
    public static func matches(_ bytes: some Sequence<UInt8>, at offset: Int) -> Bool {
        let contiguous = bytes.withContiguousStorageIfAvailable { matches(UnsafeRawBufferPointer($0), at: offset) }
        return contiguous ?? matches(Array(bytes), at: offset)
    }

    private static func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        var rest = bytes[...]
        var offset = offset
        while !rest.isEmpty {
            let part = stretch(at: offset, atMost: rest.count)
            let isSame = part.withUnsafeBytes { areEqual($0, UnsafeRawBufferPointer(rebasing: rest.prefix($0.count))) }
            guard isSame else { return false }
            rest = rest.dropFirst(part.count)
            offset += part.count
        }
        return true
    }

    /// Returns the bytes from an offset up to the end of the period, at least one if `count` is positive.
    static func stretch(at offset: Int, atMost count: Int) -> ArraySlice<UInt8> {
        let start = offset % period
        return table[start..<min(period, start + count)]
    }

    private static let period = 65_521

    /// One period, from a linear congruential generator with the constants of Knuth's MMIX.
    private static let table: [UInt8] = {
        var state: UInt64 = 0x5DEE_CE66_D1CE_4E5B
        return (0..<period).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }()
}
