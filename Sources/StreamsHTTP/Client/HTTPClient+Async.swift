extension HTTPClient {
    /// The decoded value of a call.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func value<Call: Endpoint>(for endpoint: Call) async throws(HTTPError) -> Call.Response {
        try await response(for: endpoint).body
    }

    /// The decoded value of a call, with its progress on the way.
    ///
    /// - Parameters:
    ///   - endpoint: What to ask for.
    ///   - onProgress: Called with the progress of the upload and then of the download, serially, on a thread of
    ///     the system's. No call comes after this has returned a value or an error of the request's; when the task is
    ///     cancelled, one may still be on its way.
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func value<Call: Endpoint>(
        for endpoint: Call, onProgress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(HTTPError) -> Call.Response {
        let fold = await ResponseFold.awaitEnd(of: plan(for: endpoint), delivery: .queued, onProgress: onProgress)
        return try decode(fold, endpoint).body
    }

    /// The response to a call, decoded.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func response<Call: Endpoint>(
        for endpoint: Call
    ) async throws(HTTPError) -> HTTPResponse<Call.Response> {
        try decode(await ResponseFold.awaitEnd(of: plan(for: endpoint)), endpoint)
    }

    /// The response to a request, with its body as it came, collected up to ``RequestOptions/maxBodySize``.
    ///
    /// - Throws: ``HTTPError``; when the task is cancelled, one whose reason is ``HTTPError/Reason/cancelled``.
    public func data(for request: HTTPRequest) async throws(HTTPError) -> HTTPResponse<Data> {
        try await ResponseFold.awaitEnd(of: RequestPlan(request, client: self, bodyUse: .collect)).response()
    }

    /// Decodes where the caller runs, so that the transport's thread does not have to. Not inlined, for what it needs
    /// would take room in the caller's frame all the while that it waits.
    @inline(never)
    private func decode<Call: Endpoint>(
        _ fold: ResponseFold, _ endpoint: Call
    ) throws(HTTPError) -> HTTPResponse<Call.Response> {
        let response = try fold.response()
        do {
            return response.replacingBody(try configuration.decode(response, from: endpoint))
        } catch {
            throw fold.error(for: UndecodableResponse(error: error, response: response))
        }
    }
}
