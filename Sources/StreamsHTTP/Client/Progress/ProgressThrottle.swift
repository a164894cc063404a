/// A filter that limits progress to a granularity and drops values that fall.
struct ProgressThrottle {
    /// The granularity in bytes if the total is unknown.
    private static let stride: Int64 = 64 * 1024

    private let granularity: RequestOptions.ProgressGranularity
    private var last: TransferProgress?

    init(_ granularity: RequestOptions.ProgressGranularity) {
        self.granularity = granularity
    }

    /// Returns the progress if it is to be delivered, otherwise `nil`.
    mutating func admit(_ progress: TransferProgress, isFinal: Bool = false) -> TransferProgress? {
        guard shouldReport(progress, isFinal: isFinal) else { return nil }
        last = progress
        return progress
    }

    private func shouldReport(_ progress: TransferProgress, isFinal: Bool) -> Bool {
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
