/// A `Content-Range` in bytes with a total length (RFC 9110, section 14.4).
struct ContentRange {
    /// The offsets of the first and the last byte; `nil` if the requested range cannot be satisfied.
    let bounds: ClosedRange<Int64>?
    let total: Int64

    /// - Returns: `nil` without a range or a total length, and if several fields contradict each other.
    init?(of head: HTTPResponse<Void>) {
        let unit = "bytes "
        guard let text = head.headers.unanimousValue(for: "Content-Range")?.string,
            String(text.prefix(unit.count)).isEqualIgnoringASCIICase(to: unit)
        else { return nil }
        let parts = text.dropFirst(unit.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = parts[1].decimalNumber else { return nil }
        self.total = total
        guard parts[0] != "*" else {
            bounds = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ends[0].decimalNumber, let last = ends[1].decimalNumber, first <= last,
            last < total
        else { return nil }
        bounds = first...last
    }
}
