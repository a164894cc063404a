import StreamsHTTP
import StreamsLoopback

/// Compares the chunks of a body with ``GeneratedBytes`` one by one, without keeping them.
struct GeneratedBodyCheck: Sendable {
    /// The number of bytes so far.
    private(set) var count = 0
    /// Whether all of them are those of the sequence.
    private(set) var isExact = true

    mutating func accept(_ chunk: Data) {
        isExact = isExact && GeneratedBytes.matches(chunk, at: count)
        count += chunk.count
    }
}
