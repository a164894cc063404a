/// The fields that fill a head up to a number of bytes of its field block, in constant memory.
struct HTTP2Padding {
    private var left: Int

    /// - Parameter count: The number of bytes, at least one field if it is positive.
    init(_ count: Int) {
        left = max(0, count)
    }

    var isEmpty: Bool { left == 0 }

    /// Returns the next encoded field; `nil` after the last.
    mutating func next() -> [UInt8]? {
        guard left > 0 else { return nil }
        // The rest after a field must be large enough for another one. The length of a value has one byte.
        let size = left >= 100 + Self.frame ? 100 : max(left, Self.frame)
        left = max(0, left - size)
        return HPACKEncoder.encode(HPACKField(Self.name, [UInt8](repeating: 0x78, count: size - Self.frame)))
    }

    private static let name = Array("x-padding".utf8)
    /// The size of a field without a value: the representation, the length of the name, the name, the length.
    private static let frame = 3 + name.count
}
