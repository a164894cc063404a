/// A single range of bytes that a request asks for (RFC 9110, section 14.1.2).
enum ByteRange: Hashable, Sendable {
    /// The bytes from an offset on, up to another one inclusively; to the end without it.
    case offsets(first: Int64, last: Int64?)
    /// The last bytes.
    case suffix(Int64)

    /// - Returns: `nil` for several ranges, another unit, and a malformed field.
    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, String(parts[0]).isEqualIgnoringASCIICase(to: "bytes") else { return nil }
        let ends = String(parts[1]).trimmingOptionalWhitespace.split(
            separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        if ends[0].isEmpty {
            guard let count = ends[1].decimalNumber else { return nil }
            self = .suffix(count)
            return
        }
        guard let first = ends[0].decimalNumber else { return nil }
        guard !ends[1].isEmpty else {
            self = .offsets(first: first, last: nil)
            return
        }
        guard let last = ends[1].decimalNumber, last >= first else { return nil }
        self = .offsets(first: first, last: last)
    }

    /// The range that a request asks for; `nil` if it asks for none, for several, or for one of another unit. A `Range`
    /// has a meaning for GET alone.
    init?(of request: TransportRequest) {
        guard request.method == .get, let field = request.headers.unanimousValue(for: "Range") else { return nil }
        self.init(field.string)
    }

    /// Returns the place of the range in a body; `nil` if no byte of it is in the range.
    func bounds(in length: Int64) -> Range<Int64>? {
        guard length > 0 else { return nil }
        switch self {
        case .offsets(let first, let last):
            guard first < length else { return nil }
            return first..<min(last ?? length - 1, length - 1) + 1
        case .suffix(let count):
            guard count > 0 else { return nil }
            return length - min(count, length)..<length
        }
    }
}
