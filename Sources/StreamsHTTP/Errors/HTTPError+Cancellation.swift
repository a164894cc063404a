// Errors of cancelled tasks that iterate streams.

extension HTTPError: CancellationRepresentable {
    /// The error of a cancelled task that iterates the `values` of a publisher made of requests. Its reason is
    /// ``Reason/cancelled``, and its request is empty, because several requests may be under way.
    public static var cancellation: HTTPError {
        HTTPError(.cancelled, request: RequestSummary(method: .get, url: ""))
    }
}

extension ServiceError: CancellationRepresentable {
    /// The error of a cancelled task that iterates the `values` of a publisher made of requests; see
    /// ``HTTPError/cancellation``.
    public static var cancellation: ServiceError { .local(.cancellation) }
}
