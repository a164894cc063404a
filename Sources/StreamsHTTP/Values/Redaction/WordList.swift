/// Words that make a name secret.
struct WordList: Hashable, Sendable {
    /// The words in lower case and without separators.
    let words: Set<String>
    /// The same, by the last five bits of their first byte, so that few are compared.
    private var buckets: [[[UInt8]]]

    init(_ words: Set<String>) {
        self.words = words
        buckets = Array(repeating: [], count: 32)
        for word in words.sorted() {
            let bytes = Array(word.utf8)
            if let first = bytes.first { buckets[Int(first & 31)].append(bytes) }
        }
    }

    /// The last words of names that describe a secret.
    private static let descriptions: Set<String> = [
        "type", "endpoint", "algorithm", "policy", "limit", "count", "expiry", "expires", "expiration", "in", "at",
    ]

    /// Returns whether a name has one of the words, as a word of its own or as several side by side, and does not only
    /// describe the secret.
    func isSecret(_ name: some StringProtocol) -> Bool {
        name.utf8.withContiguousBytes { bytes in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count) { letters in
                withUnsafeTemporaryAllocation(of: Bool.self, capacity: bytes.count + 1) { starts in
                    let count = Self.split(bytes, into: letters, starts)
                    guard occur(in: letters, starts, count) else { return false }
                    let last = starts[..<count].lastIndex(of: true) ?? 0
                    return !Self.descriptions.contains(String(decoding: letters[last..<count], as: UTF8.self))
                }
            }
        }
    }

    /// Splits a name into words.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - letters: The memory for the letters and digits of the name, in lower case.
    ///   - starts: The memory for the flags of those that begin a word; the end of the last word has one too.
    /// - Returns: The number of letters and digits.
    private static func split(
        _ name: UnsafeBufferPointer<UInt8>, into letters: UnsafeMutableBufferPointer<UInt8>,
        _ starts: UnsafeMutableBufferPointer<Bool>
    ) -> Int {
        var count = 0
        var previous = Kind.separator
        for (place, byte) in name.enumerated() {
            let kind = Kind(byte)
            if kind != .separator {
                letters[count] = byte.lowercasedASCII
                // The last of several capitals begins a word if a small letter follows: APIKey.
                let next = place + 1 < name.count ? Kind(name[place + 1]) : .separator
                starts[count] =
                    kind != previous && !(previous == .capital && kind == .small) || kind == .capital && next == .small
                count += 1
            }
            previous = kind
        }
        starts[count] = true
        return count
    }

    private enum Kind {
        case separator, digit, capital, small

        @inline(__always)
        init(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
            // Letters outside of ASCII have several bytes.
            case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: self = .small
            default: self = .separator
            }
        }
    }

    private func occur(
        in letters: UnsafeMutableBufferPointer<UInt8>, _ starts: UnsafeMutableBufferPointer<Bool>, _ count: Int
    ) -> Bool {
        for start in 0..<count where starts[start] {
            for word in buckets[Int(letters[start] & 31)] {
                let end = start + word.count
                if end <= count, starts[end], letters[start..<end].elementsEqual(word) { return true }
            }
        }
        return false
    }
}
