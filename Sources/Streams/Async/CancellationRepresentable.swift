/// An error type that has a value for a cancelled task.
///
/// `values` of a publisher with such a failure throws that value when the iterating task is cancelled before the
/// end of the stream. So a cancelled loop is not mistaken for a complete one. With every other failure, a cancelled loop
/// ends as if the stream had finished, as in Combine.
///
/// ```swift
/// enum DownloadError: CancellationRepresentable {
///     case offline, cancelled
///     static let cancellation = DownloadError.cancelled
/// }
/// ```
///
/// The type of failure decides, so operators that keep it keep the behaviour.
public protocol CancellationRepresentable: Error {
    /// The error of a cancelled task.
    static var cancellation: Self { get }
}
