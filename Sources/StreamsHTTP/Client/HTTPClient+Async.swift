extension HTTPClient {
    /// Returns the decoded value of a call.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func value<Call: Endpoint>(for endpoint: Call) async throws(HTTPError) -> Call.Response {
        try await response(for: endpoint).body
    }

    /// Returns the decoded value of a call, and reports its progress.
    ///
    /// - Parameters:
    ///   - endpoint: The call to make.
    ///   - onProgress: Called with each progress of the upload and then of the download, serially, in the calling task.
    ///     It should return quickly.
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func value<Call: Endpoint>(
        for endpoint: Call, onProgress: @escaping @Sendable (HTTPRequest.Progress) -> Void
    ) async throws(HTTPError) -> Call.Response {
        var state = HTTPRequest.Progress.State()
        return try await events(for: endpoint).response { onProgress(state.receive($1, of: $0)) }.body
    }

    /// Returns the decoded response to a call.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func response<Call: Endpoint>(
        for endpoint: Call
    ) async throws(HTTPError) -> HTTPResponse<Call.Response> {
        try await events(for: endpoint).response()
    }

    /// Returns the response to a request, with its body undecoded, collected up to ``RequestOptions/maxBodySize``.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func response(for request: HTTPRequest) async throws(HTTPError) -> HTTPResponse<Data> {
        try await ResponseAwaiter.awaitEnd(of: RequestPlan(request, client: self, bodyUse: .collect)).result()
    }
}

extension RequestPublisher {
    /// Awaits the response, decoded in the calling task.
    fileprivate func response(
        onProgress: ((TransferProgress.Direction, TransferProgress) -> Void)? = nil
    ) async throws(HTTPError) -> HTTPResponse<Value> {
        var value: Value?
        let awaiter = await ResponseAwaiter.awaitEnd(of: plan, onProgress: onProgress) { value = try decode($0) }
        let response = try awaiter.result()
        // A response comes after its decoding.
        guard let value else { throw HTTPError(.cancelled, request: plan.summary) }
        return response.replacingBody(value)
    }
}
