/// A check of text that comes in any number of parts: it fails at the first byte that no text has there.
struct UTF8Validator {
    /// The number of bytes that the current character lacks.
    private var missingCount = 0
    /// The values that the next of them may have (Unicode 16, table 3-7).
    private var range: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the text may end here.
    var isComplete: Bool { missingCount == 0 }

    /// Checks the next part.
    ///
    /// - Returns: Whether it is a part of a text.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place < bytes.count {
            let byte = bytes[place]
            if missingCount > 0 {
                guard range.contains(byte) else { return false }
                missingCount -= 1
                range = 0x80...0xBF
                place += 1
            } else if byte < 0x80 {
                place += bytes.countOfASCII(from: place)
            } else {
                guard begin(byte) else { return false }
                place += 1
            }
        }
        return true
    }

    /// Begins a character of several bytes.
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missingCount = 1
        case 0xE0...0xEF: missingCount = 2
        case 0xF0...0xF4: missingCount = 3
        default: return false
        }
        switch byte {
        case 0xE0: range = 0xA0...0xBF
        case 0xED: range = 0x80...0x9F
        case 0xF0: range = 0x90...0xBF
        case 0xF4: range = 0x80...0x8F
        default: break
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// Returns how many bytes from a place on are ASCII, at least one if the first is.
    fileprivate func countOfASCII(from start: Int) -> Int {
        var place = start
        while place + 8 <= count, loadUnaligned(fromByteOffset: place, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
            place += 8
        }
        while place < count, self[place] < 0x80 { place += 1 }
        return place - start
    }
}
