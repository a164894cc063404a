extension HTTPRequest {
    /// Returns this request with what a position adds to it; `nil` if that cannot be sent.
    ///
    /// A server chooses its positions, so one may have control characters, or a size that no server accepts. Such a
    /// request would be refused each time.
    ///
    /// - Parameter addPosition: Returns the request that resumes at the position.
    func resuming(_ addPosition: (HTTPRequest) -> HTTPRequest) -> HTTPRequest? {
        let request = addPosition(self)
        let isSendable = request.headers.allSatisfy { field in
            headers.contains(field) || field.name.isToken && field.value.isReturnable
        }
        guard isSendable, request.target.isPrintable || request.target == target,
            request.targetSize - targetSize <= String.maxReturnedSize
        else { return nil }
        return request
    }

    private var targetSize: Int { target.utf8.count + query.percentEncoded.utf8.count }
}

extension FeedGap {
    /// Creates the gap of a feed whose position the server has refused; `nil` if an error says something else.
    init?(ofRefusedPosition error: HTTPError) {
        guard let status = error.response?.status else { return nil }
        switch status {
        case .gone: self = .cursorExpired
        case .uriTooLong, .requestHeaderFieldsTooLarge: self = .notResumable
        default: return nil
        }
    }
}
