extension HTTPRequest {
    /// Returns this request with what a position adds to it; `nil` if that cannot be sent.
    ///
    /// A position is a text of the server's, so it may have control characters, or a size that no server accepts. The
    /// client would refuse such a request each time.
    ///
    /// - Parameter addPosition: Returns the request that resumes at the position.
    func resuming(_ addPosition: (HTTPRequest) -> HTTPRequest) -> HTTPRequest? {
        let request = addPosition(self)
        let isSendable = request.headers.allSatisfy { field in
            headers.contains(field) || field.name.isToken && field.value.isReturnable
        }
        return isSendable && (request.hasTarget(of: self) || request.hasReturnableTarget) ? request : nil
    }

    private func hasTarget(of other: HTTPRequest) -> Bool { target == other.target && query == other.query }

    private var hasReturnableTarget: Bool {
        target.isPrintable && target.utf8.count + query.percentEncoded.utf8.count <= String.maxReturnedSize
    }
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
