/// The progress of a body's transfer, in bytes on the wire.
public struct TransferProgress: Hashable, Sendable {
    /// The bytes transferred in this attempt.
    public let completed: Int64
    /// The total number of bytes; `nil` if it is unknown.
    public let total: Int64?
    /// The bytes after decoding; equal to `completed` if the content is not encoded.
    public let decoded: Int64

    /// Creates the progress of a transfer.
    ///
    /// - Parameters:
    ///   - completed: The bytes transferred, on the wire.
    ///   - total: The total number of bytes, on the wire; `nil` if it is unknown.
    ///   - decoded: The bytes after decoding; `nil` if they equal the bytes transferred.
    public init(completed: Int64, total: Int64?, decoded: Int64? = nil) {
        self.completed = completed
        self.total = total
        self.decoded = decoded ?? completed
    }

    /// The completed fraction, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(Double(completed) / Double(total), 1) : 1
    }
}
