/// Lets progress through as often as was asked for, and never backwards.
struct ProgressGate {
    /// How often progress of unknown extent is told, in bytes.
    private static let stride: Int64 = 64 * 1024

    private let granularity: ProgressGranularity
    private var last: TransferProgress?

    init(_ granularity: ProgressGranularity) {
        self.granularity = granularity
    }

    /// - Returns: The progress where it is to be told.
    mutating func admit(_ progress: TransferProgress, isFinal: Bool = false) -> TransferProgress? {
        guard isWorthTelling(progress, isFinal: isFinal) else { return nil }
        last = progress
        return progress
    }

    private func isWorthTelling(_ progress: TransferProgress, isFinal: Bool) -> Bool {
        guard let last else { return isFinal || progress.completed > 0 }
        if isFinal { return progress != last && progress.completed >= last.completed }
        guard progress.completed > last.completed else { return false }
        if progress.completed == progress.total { return true }
        guard let total = progress.total, total > 0 else {
            return granularity.step == 0 || progress.completed - last.completed >= Self.stride
        }
        return Double(progress.completed - last.completed) >= granularity.step * Double(total)
    }
}
