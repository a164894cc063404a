extension UnsafeRawBufferPointer {
    /// The size of a chunk, of which this is the line (RFC 9112, section 7.1).
    ///
    /// Extensions are ignored. Spaces may follow the size, since some servers write sizes of a fixed width. A sign, a
    /// prefix or a carriage return inside of the line is refused: other readers would take it for another size.
    func chunkSize() throws(HTTPError.Reason) -> Int64 {
        var size: Int64 = 0
        var end = 0
        while end < count, let digit = self[end].hexadecimalValue {
            // Sixteen digits could be a negative number.
            guard end < 15 else { throw .transfer(.protocolError) }
            size = size << 4 | Int64(digit)
            end += 1
        }
        var rest = self[end...]
        if rest.last == UInt8(ascii: "\n") { rest.removeLast() }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        guard end > 0, !rest.contains(UInt8(ascii: "\r")), rest.isExtension else { throw .transfer(.protocolError) }
        return size
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Whether only blanks or an extension follow a size.
    fileprivate var isExtension: Bool {
        guard let first = first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return true }
        return first == UInt8(ascii: ";")
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
