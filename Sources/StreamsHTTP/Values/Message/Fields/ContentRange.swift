/// A `Content-Range` in bytes (RFC 9110, section 14.4).
package struct ContentRange {
    /// The offsets of the first and the last byte; `nil` if the requested range cannot be satisfied.
    package let bounds: ClosedRange<Int64>?
    /// The total length; `nil` if the server does not tell it.
    package let total: Int64?

    /// - Returns: `nil` without a range, and if several fields contradict each other.
    package init?(of head: HTTPResponse<Void>) {
        let unit = "bytes "
        guard let text = head.headers.unanimousValue(for: "Content-Range")?.string,
            String(text.prefix(unit.count)).isEqualIgnoringASCIICase(to: unit)
        else { return nil }
        let parts = text.dropFirst(unit.count).split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        total = parts[1].decimalNumber
        guard total != nil || (parts[1] == "*" && parts[0] != "*") else { return nil }
        guard parts[0] != "*" else {
            bounds = nil
            return
        }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ends[0].decimalNumber, let last = ends[1].decimalNumber, first <= last,
            last < total ?? .max
        else { return nil }
        bounds = first...last
    }
}
