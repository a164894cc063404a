/// How far a body has come, counted in bytes on the wire.
public struct TransferProgress: Hashable, Sendable {
    /// Bytes transferred in this attempt.
    public let completed: Int64
    /// Bytes in all; `nil` where the length is not known.
    public let total: Int64?
    /// Bytes after decoding; the same as `completed` where the content is not encoded.
    public let decoded: Int64

    /// - Parameters:
    ///   - completed: Bytes transferred, as they are on the wire.
    ///   - total: Bytes in all, as they are on the wire; `nil` where that is not known.
    ///   - decoded: Bytes after decoding; `nil` for as many as were transferred.
    public init(completed: Int64, total: Int64?, decoded: Int64? = nil) {
        self.completed = completed
        self.total = total
        self.decoded = decoded ?? completed
    }

    /// The part of the whole, from 0 to 1; `nil` where the whole is not known.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(Double(completed) / Double(total), 1) : 1
    }
}
