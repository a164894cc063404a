import StreamsHTTP

/// An output of lines whose writes are as large as the lines come.
///
/// Lines are written when the task that adds them waits for the next one. So a line that comes alone is written at once, and
/// those that come together are written together: a feed may bring thousands in a moment.
@MainActor
final class LineOutput {
    /// The size from which lines are written before others are added.
    private static let maxPendingSize = 64 << 10

    private let descriptor: Descriptor
    private var pending = Data()
    private var isFlushPlanned = false
    private var onFailure: (() -> Void)?
    /// The reason for which nothing is written any more.
    private(set) var failure: SystemError?

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Calls a closure once if a write fails. The caller may be waiting for the next line, and would not notice.
    func onFailure(_ action: @escaping () -> Void) {
        onFailure = action
    }

    /// Adds a line.
    ///
    /// - Parameter line: The line without its end.
    /// - Throws: The error of an earlier write, or of one that had to be made.
    func add(_ line: Data) throws(SystemError) {
        pending.append(line)
        pending.append(UInt8(ascii: "\n"))
        guard pending.count < Self.maxPendingSize, failure == nil else { return try flush() }
        guard !isFlushPlanned else { return }
        isFlushPlanned = true
        // On the same actor, so that it runs when the caller waits.
        Task {
            isFlushPlanned = false
            try? flush()
        }
    }

    /// Writes the lines that have been added.
    func flush() throws(SystemError) {
        if let failure { throw failure }
        guard !pending.isEmpty else { return }
        do throws(SystemError) {
            try descriptor.writeAll(pending)
            pending.removeAll(keepingCapacity: true)
        } catch {
            failure = error
            onFailure.take()?()
            throw error
        }
    }
}
