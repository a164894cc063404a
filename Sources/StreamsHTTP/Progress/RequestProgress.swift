/// The progress of an `async` call: that of the request's body and that of the response's.
///
/// ```swift
/// let video = try await client.value(for: AddVideo(file: file)) { progress in
///     if progress.direction == .upload { bar.value = progress.upload?.fraction ?? 0 }
/// }
/// ```
public struct RequestProgress: Hashable, Sendable {
    /// The direction of the transfer that has progressed.
    public let direction: TransferDirection
    /// The progress of the request's body; `nil` before its first bytes are sent, and if it is empty.
    public let upload: TransferProgress?
    /// The progress of the response's body; `nil` before its first bytes are received.
    public let download: TransferProgress?

    /// Creates a value, for previews and tests.
    ///
    /// - Parameters:
    ///   - direction: The direction of the transfer that has progressed.
    ///   - upload: The progress of the request's body.
    ///   - download: The progress of the response's body.
    public init(_ direction: TransferDirection, upload: TransferProgress?, download: TransferProgress?) {
        self.direction = direction
        self.upload = upload
        self.download = download
    }

    /// The bytes of both directions. They never fall within an attempt. The total is unknown before the download
    /// begins.
    public var transfer: TransferProgress {
        let sent = upload?.completed ?? 0
        // The upload ends when the download begins, even if the server did not read all of it.
        let total = direction == .download ? download?.total.map { sent.addingClamped($0) } : nil
        return TransferProgress(
            completed: sent.addingClamped(download?.completed ?? 0), total: total,
            decoded: (upload?.decoded ?? 0).addingClamped(download?.decoded ?? 0))
    }

    /// The completed fraction of both directions, from 0 to 1; `nil` if the total is unknown.
    public var fraction: Double? { transfer.fraction }
}

extension Int64 {
    /// Returns a sum. A server may declare any length, so it may be too large.
    fileprivate func addingClamped(_ other: Int64) -> Int64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
